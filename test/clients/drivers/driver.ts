import type { Sandbox } from "../sandbox.ts";

export interface Driver {
  /** The column of the table. */
  readonly title: string;
  /** What `longhaul add` calls the client. */
  readonly client: string;
  readonly packageName: string;
  readonly version: string;
  /** Whether long calls become tasks that the client follows by itself. */
  readonly hasTasks: boolean;
  /** Whether a question of a job is a form that the user fills in. */
  readonly hasForms: boolean;
  /** Configures the client, and adds Longhaul to it. */
  readonly prepare: (sandbox: Sandbox) => Promise<void>;
  /** One conversation: resolves when the client has ended. `folder` is where it was installed. */
  readonly converse: (sandbox: Sandbox, folder: string, conversation: Conversation) => Promise<void>;
}

export interface Conversation {
  readonly prompt: string;
  /** Goes on with the last one, as the client's own `--continue` does. */
  readonly isContinued?: boolean;
  /** What a user does meanwhile; only where there is a terminal. */
  readonly user?: (terminal: TerminalUser) => Promise<void>;
}

/** Whoever sits before the terminal. */
export interface TerminalUser {
  readonly sees: (text: RegExp) => Promise<string>;
  /** Presses the key, again and again, until the screen shows that it was understood: some presses are ignored. */
  readonly presses: (key: string, text: RegExp) => Promise<void>;
}

export const maxConversationMs = 120_000;

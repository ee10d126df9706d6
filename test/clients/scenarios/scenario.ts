import type { Conversation, Driver } from "../drivers/driver.ts";
import type { Step } from "../model/scripted-model.ts";
import type { Sandbox } from "../sandbox.ts";

export interface Scenario {
  readonly name: string;
  /** Starts without a server; all others find one running. */
  readonly isCold?: true;
  /** Why it makes no sense for this client; undefined if it does. */
  readonly notFor?: (driver: Driver) => string | undefined;
  /** Returns what is worth a word in the table; throws when it failed. */
  readonly run: (context: ScenarioContext) => Promise<string>;
}

/** A client in a sandbox of its own. */
export interface ScenarioContext {
  readonly driver: Driver;
  readonly sandbox: Sandbox;
  /** Plays the script in one conversation from its first to its last step. */
  readonly play: (steps: readonly Step[], conversation?: Omit<Conversation, "prompt">) => Promise<void>;
}

export function expectThat(isTrue: boolean, otherwise: string, evidence: string): void {
  if (!isTrue) throw new Error(`${otherwise}: ${shorten(evidence)}`);
}

export function expectText(text: string, pattern: RegExp, what: string): void {
  expectThat(pattern.test(text), `${what} lacks ${String(pattern)}`, text);
}

/** The job that a reply speaks of. */
export function jobIdIn(text: string): string {
  const id = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/.exec(text)?.[0];
  if (id === undefined) throw new Error(`No job is named in: ${shorten(text)}`);
  return id;
}

function shorten(text: string): string {
  return text.length <= 600 ? text : `${text.slice(0, 300)} … ${text.slice(-300)}`;
}

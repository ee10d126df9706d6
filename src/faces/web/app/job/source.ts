import type { ReadonlySignal } from "@preact/signals";
import type { AnswerOf } from "../../../../operations/registry.ts";
import type { OutputChoice, OutputFeed } from "./output-feed.ts";

type Whole = AnswerOf<"job_get">;
export type JobDetail = Partial<Pick<Whole, "input" | "result" | "artifacts">> &
  Omit<Whole, "input" | "result" | "artifacts">;

/** One job, wherever it is shown: the dashboard and the card in chat clients each have their own way to the server. */
export interface JobSource {
  readonly id: string;
  readonly job: ReadonlySignal<JobDetail | undefined>;
  readonly error: ReadonlySignal<unknown>;
  readonly output: OutputFeed;
  /** Steering is refused by the server; no buttons are shown either. */
  readonly isReadOnly: boolean;
  /** Reads another stream or attempt, from its beginning. */
  readonly choose: (choice: OutputChoice) => void;
  readonly act: (action: JobAction) => Promise<void>;
}

export type JobAction =
  | { readonly verb: "cancel" | "retry" }
  | { readonly verb: "send"; readonly text: string }
  | { readonly verb: "answer"; readonly key: string; readonly answer: AnswerToJob };

export type AnswerToJob =
  | { readonly action: "accept"; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: "decline" };

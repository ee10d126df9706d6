import type { ReadonlySignal } from "@preact/signals";
import type { AnswerOf } from "../../../../operations/registry.ts";

export type JobDetail = Partial<Pick<AnswerOf<"job_get">, "input" | "result" | "artifacts">> &
  Omit<AnswerOf<"job_get">, "input" | "result" | "artifacts">;

export interface OutputPart {
  readonly attempt: number;
  readonly from: number;
  readonly next: number;
  readonly dropped: number;
  readonly text: string;
}

/** One job, wherever it is shown: the dashboard and the card in chat clients each have their own way to the server. */
export interface JobSource {
  readonly id: string;
  readonly job: ReadonlySignal<JobDetail | undefined>;
  readonly error: ReadonlySignal<unknown>;
  /** Steering is refused by the server; no buttons are shown either. */
  readonly isReadOnly: boolean;
  /** Output as it is written, until the job ends or the signal comes. */
  readonly follow: (
    request: { readonly attempt?: number; readonly stream: string },
    take: (part: OutputPart) => void,
    signal: AbortSignal,
  ) => void;
  readonly act: (action: JobAction) => Promise<void>;
}

export type JobAction =
  | { readonly verb: "cancel" | "retry" }
  | { readonly verb: "send"; readonly text: string }
  | { readonly verb: "answer"; readonly key: string; readonly answer: AnswerToJob };

export type AnswerToJob =
  | { readonly action: "accept"; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: "decline" };

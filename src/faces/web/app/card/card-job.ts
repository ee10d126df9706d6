import { signal } from "@preact/signals";
import type { AnswerOf } from "../../../../operations/registry.ts";
import { OutputFeed } from "../job/output-feed.ts";
import type { JobAction, JobDetail, JobSource } from "../job/source.ts";
import type { Host } from "./bridge.ts";

interface ToolResult<Content> {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: Content;
}

const waitSeconds = 20;
const pauseMs = 2_000;

/** A job by the tool `job_card`: one long poll after the other, until it has ended. */
export function openCardJob(id: string, host: Host): JobSource & { readonly close: () => void } {
  const job = signal<JobDetail | undefined>(undefined);
  const error = signal<unknown>(undefined);
  const output = new OutputFeed();
  const closing = new AbortController();
  let isFollowing = false;
  const call = async <Content>(name: string, args: object): Promise<Content | undefined> => {
    const result = await host.request<ToolResult<Content>>("tools/call", { name, arguments: args });
    if (result.isError === true) throw new Error(result.content?.[0]?.text ?? "The server refused it.");
    return result.structuredContent;
  };
  const follow = async (): Promise<void> => {
    if (isFollowing) return;
    isFollowing = true;
    let cursor: string | undefined;
    while (!closing.signal.aborted) {
      try {
        const news = await call<AnswerOf<"live_read">>("job_card", {
          id,
          wait_s: waitSeconds,
          ...(cursor === undefined ? {} : { cursor }),
        });
        error.value = undefined;
        cursor = news?.cursor;
        if (news?.view !== undefined) job.value = news.view;
        if (news?.output !== undefined) output.take(news.output);
        else if (job.value?.finished_at !== undefined) break;
      } catch (problem) {
        error.value = problem;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
    isFollowing = false;
    if (!closing.signal.aborted) tellModel(job.value, host);
  };
  void follow();
  return {
    id,
    job,
    error,
    output,
    isReadOnly: false,
    choose: () => undefined,
    act: async (action) => {
      await call(...toToolCall(id, action));
      void follow();
    },
    close: () => closing.abort(),
  };
}

function toToolCall(id: string, action: JobAction): [name: string, args: object] {
  if (action.verb === "send") return ["job_send", { id, text: action.text }];
  if (action.verb === "answer") return ["job_send", { id, key: action.key, answer: action.answer }];
  return [`job_${action.verb}`, { ids: [id] }];
}

/** The model learns of the end with its next turn, without asking. */
function tellModel(job: JobDetail | undefined, host: Host): void {
  if (job === undefined) return;
  const text = `Job ${job.id} has ended: ${job.state}${job.error === undefined ? "" : ` (${job.error.message})`}.`;
  host.request("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => undefined);
}

import { z } from "zod";
import { assertNever, LonghaulError, type ErrorCode } from "../../job/error.ts";
import { messageOf } from "../../job/failure.ts";
import type { Job } from "../../job/job.ts";
import type { Json } from "../../job/json.ts";
import type { AttemptCalls } from "./attempt-calls.ts";

const by = z.string().optional();

/** A call of an attempt as it travels between engines. */
const callSchema = z.discriminatedUnion("verb", [
  z.object({ verb: z.literal("send"), text: z.string(), by }),
  z.object({
    verb: z.literal("feed"),
    base64: z.string(),
    sender: z.string().optional(),
    offset: z.number().optional(),
    isEnd: z.boolean().optional(),
    by,
  }),
  z.object({ verb: z.literal("resize"), size: z.object({ columns: z.number(), rows: z.number() }).optional() }),
  z.object({ verb: z.literal("inspect") }),
  z.object({ verb: z.literal("summarize") }),
]);

export type AttemptCall = z.infer<typeof callSchema>;

const answerSchema = z.union([
  z.object({ value: z.json() }),
  z.object({ refused: z.object({ code: z.string(), message: z.string() }) }),
  z.object({ failed: z.string() }),
]);

type CallAnswer = z.infer<typeof answerSchema>;

/** Does what a letter asks for, and returns the answer to post. */
export async function answerCall(body: string, job: Job, here: AttemptCalls): Promise<string> {
  try {
    const value = await perform(callSchema.parse(JSON.parse(body)), job, here);
    return JSON.stringify({ value } satisfies CallAnswer);
  } catch (error) {
    if (error instanceof LonghaulError) return refuseCall(error);
    return JSON.stringify({ failed: messageOf(error) } satisfies CallAnswer);
  }
}

export function refuseCall({ code, message }: LonghaulError): string {
  return JSON.stringify({ refused: { code, message } } satisfies CallAnswer);
}

async function perform(call: AttemptCall, job: Job, here: AttemptCalls): Promise<Json> {
  switch (call.verb) {
    case "send":
      await here.send(job, call.text, call.by);
      return null;
    case "feed": {
      const { base64, sender, offset, isEnd } = call;
      return here.feed(job, { bytes: Buffer.from(base64, "base64"), sender, offset, isEnd }, call.by);
    }
    case "resize":
      await here.resize(job, call.size);
      return null;
    case "inspect":
      return here.inspect(job);
    case "summarize":
      return here.summarize(job);
    default:
      return assertNever(call);
  }
}

/** What the other engine answered; throws what it refused with. */
export function readAnswer(text: string): Json {
  const answer = answerSchema.parse(JSON.parse(text));
  if ("value" in answer) return answer.value;
  if ("failed" in answer) throw new Error(answer.failed);
  throw new LonghaulError(answer.refused.code as ErrorCode, answer.refused.message);
}

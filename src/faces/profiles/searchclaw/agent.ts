import type { Json } from "../../../job/json.ts";
import { runAgent } from "../../../operations/start-operations.ts";
import { toHintedSchema } from "../../../text/short-schema.ts";
import type { CallContext } from "../profile.ts";
import { toAgentReply } from "./agent-reply.ts";
import type { Reply } from "./reply.ts";
import { waitForEnd } from "./run-job.ts";

interface AgentCall {
  readonly prompt: string;
  readonly schema?: Record<string, unknown>;
  readonly max_credits: number;
  readonly max_sources: number;
}

/** SearchClaw answers at once when more may be spent. */
const maxCreditsInline = 10;
/** A reply of the model to begin with, and one for the answer. */
const repliesBesides = 2;

/** Lets an agent research a question on the web; it reads and changes nothing. */
export async function askAgent(context: CallContext, call: AgentCall): Promise<Reply> {
  const { id } = await runAgent.call(context, {
    task: call.prompt,
    context: `Research this on the web. Use at most ${call.max_sources} sources, and name the URL of each that you used. Nobody can answer questions: decide yourself.`,
    read_only: true,
    // A credit is a search or a page.
    max_steps: call.max_credits + repliesBesides,
    output_schema: call.schema === undefined ? undefined : toHintedSchema(call.schema as Json),
  });
  const started = await context.engine.get(id, context.actor);
  const job = call.max_credits > maxCreditsInline ? started : await waitForEnd(context, started);
  const { result } = await context.engine.payload(job.id, context.actor);
  return toAgentReply(job, result, call.max_sources);
}

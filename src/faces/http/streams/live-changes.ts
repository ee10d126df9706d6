import { parseInput } from "../../../job/issue.ts";
import { liveRead } from "../../../operations/live.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import type { Fields } from "../route.ts";
import { signOfLife, toFrame, type LiveSource } from "./live-source.ts";

/** What is new of many jobs, one event for each stretch of time; ids are the operation's cursors. It never ends by itself. */
export async function openLiveChanges(
  context: OperationContext,
  fields: Fields,
  lastEventId: string | undefined,
  keepAliveMs: number,
): Promise<LiveSource> {
  const { cursor: given, ...wanted } = fields;
  const cursor = lastEventId ?? (typeof given === "string" ? given : "");
  const request = { ...wanted, wait_ms: keepAliveMs };
  parseInput(liveRead.input, request, liveRead.name);
  // What is wrong with the filter, the job or the cursor is told now, and not by a stream that breaks.
  await liveRead.call(context, { ...request, wait_ms: 0, ...(cursor === "" ? {} : { cursor }) });
  const { owner, kinds } = context.actor;
  return {
    // With whoever may see the same the reading is shared, and with nobody else.
    target: `live ${JSON.stringify([owner, kinds, wanted])}`,
    cursor,
    read: async (from, signal) => {
      const place = from === "" ? {} : { cursor: from };
      const news = await liveRead.call({ ...context, signal }, { ...request, ...place });
      const isSilent = from !== "" && Object.keys(news).length === 1;
      return {
        frame: isSilent ? signOfLife : Buffer.from(toFrame({ id: news.cursor, type: "news", data: news })),
        next: news.cursor,
        isLast: false,
      };
    },
  };
}

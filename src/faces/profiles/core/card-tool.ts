import { z } from "zod";
import { liveRead } from "../../../operations/live.ts";
import { cardTool } from "../../mcp/resources/job-card.ts";
import { defineTool } from "../profile.ts";
import { readsOnly } from "./manage-tools.ts";

const maxSeconds = 20;

/** For the card of a job: its view, questions and output since a cursor, in one long poll. */
export const jobCardTool = defineTool({
  name: cardTool,
  description: "For the card of a job: what is new of it since a cursor.",
  input: z.strictObject({
    id: z.string().describe("Job id."),
    cursor: z.string().max(200).optional().describe("From the answer before."),
    wait_s: z.number().min(0).max(maxSeconds).default(0).describe("Seconds to wait for something new."),
  }),
  annotations: readsOnly,
  run: async (context, { id, cursor, wait_s: waitSeconds }) => {
    const place = cursor === undefined ? {} : { cursor };
    const news = await liveRead.call(context, { job: id, jobs: false, wait_ms: waitSeconds * 1_000, ...place });
    return { content: [{ type: "text" as const, text: news.view?.state ?? "" }], structuredContent: { ...news } };
  },
});

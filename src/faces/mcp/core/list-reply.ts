import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { defined } from "../../../job/defined.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { duration, shorten } from "../status-message.ts";

export const listSchema = z.object({
  jobs: z.array(z.object({ job_id: z.string(), status: z.string(), what: z.string(), age: z.string() })),
  cursor: z.string().optional().describe("For the next page."),
});

/** One line per job. */
export function jobListReply({ jobs, cursor }: { jobs: readonly JobView[]; cursor?: string }): CallToolResult {
  const rows = jobs.map(toRow);
  const lines = rows.map(
    ({ job_id: id, status, age, what }) => `${id}  ${status.padEnd(9)}  ${age.padStart(4)}  ${what}`,
  );
  const text = [
    ...(lines.length === 0 ? ["There are no such jobs."] : lines),
    ...(cursor === undefined ? [] : [`[more: job_list with cursor ${JSON.stringify(cursor)}]`]),
  ];
  return {
    content: [{ type: "text", text: text.join("\n") }],
    structuredContent: { jobs: rows, ...defined({ cursor }) },
  };
}

function toRow(view: JobView): z.infer<typeof listSchema>["jobs"][number] {
  const what = [view.name, view.summary ?? view.kind, view.error?.message].filter((part) => part !== undefined);
  return {
    job_id: view.id,
    status: view.state,
    what: shorten(what.join(" · "), 120),
    age: duration(Date.now() - Date.parse(view.created_at)),
  };
}

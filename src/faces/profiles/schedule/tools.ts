import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { InputOf } from "../../../operations/registry.ts";
import {
  scheduleAdd,
  scheduleDelete,
  scheduleGet,
  scheduleList,
  schedulePause,
  scheduleResume,
  scheduleRun,
  type ScheduleRunView,
  type ScheduleView,
} from "../../../operations/schedule.ts";
import { LonghaulError } from "../../../job/error.ts";
import { shorten } from "../../mcp/tasks/status-message.ts";
import { changes, readsOnly } from "../core/manage-tools.ts";
import { textResult } from "../core/reply.ts";
import { defineTool } from "../profile.ts";

const { shape } = scheduleAdd.input;

const addTool = defineTool({
  name: "schedule_add",
  description:
    "Schedule a recurring job (cron): a shell command, or any start tool with its arguments. It runs on the server at its times, also when no client is connected.",
  input: scheduleAdd.input.omit({ start: true, input: true }).extend({
    command: z.string().min(1).optional().describe("A shell command to run."),
    cwd: z.string().min(1).optional().describe("Its working directory, absolute."),
    start: z.string().optional().describe("Instead of a command: the start tool, such as crawl_site."),
    input: shape.input.optional().describe("The arguments of that tool."),
  }),
  annotations: { ...changes(false, false), openWorldHint: true },
  isOnceOnly: true,
  run: async (context, { command, cwd, start, input, ...request }) => {
    const added = await scheduleAdd.call(
      { ...context, actor: await context.actorInFolder() },
      { ...request, ...toStart({ command, cwd, start, input }) },
    );
    return textResult([`Added ${scheduleLine(added)}`, `then: ${added.next.slice(1).join(", ")}`]);
  },
});

type Start = Pick<InputOf<"schedule_add">, "start" | "input">;

function toStart({ command, cwd, start, input }: Partial<Start> & { command?: string; cwd?: string }): Start {
  if ((command === undefined) === (start === undefined)) {
    throw new LonghaulError("invalid_input", "Give either a command, or start with its input.");
  }
  return command === undefined ? { start, input: input ?? {} } : { input: { command, cwd } };
}

const listTool = defineTool({
  name: "schedule_list",
  description: "List schedules (recurring jobs), or show one with its next times, last runs and skipped times.",
  input: z.strictObject({ schedule: z.string().min(1).optional().describe("Name or id of one.") }),
  annotations: readsOnly,
  run: async (context, { schedule }) => {
    if (schedule !== undefined) {
      const found = await scheduleGet.call(context, { schedule });
      const { next, runs } = found;
      const times = next.length > 1 ? [`then: ${next.slice(1).join(", ")}`] : [];
      return textResult([scheduleLine(found), ...times, ...runs.map(runLine)]);
    }
    const { schedules } = await scheduleList.call(context, {});
    return textResult(schedules.length === 0 ? ["There are no schedules."] : schedules.map(scheduleLine));
  },
});

const changeTool = defineTool({
  name: "schedule_change",
  description: "Pause, resume, delete a schedule, or run its job now. Its jobs are managed like any other.",
  input: z.strictObject({
    schedule: z.string().min(1).describe("Name or id."),
    action: z.enum(["pause", "resume", "run", "delete"]),
  }),
  annotations: changes(true, false),
  isOnceOnly: true,
  run: async (context, { schedule, action }): Promise<CallToolResult> => {
    if (action === "run") {
      const { id } = await scheduleRun.call(context, { schedule });
      return textResult([`Started job ${id}. Its plan stays as it is.`]);
    }
    const operation = { pause: schedulePause, resume: scheduleResume, delete: scheduleDelete }[action];
    const done = { pause: "Paused", resume: "Resumed", delete: "Deleted" }[action];
    return textResult([`${done} ${scheduleLine(await operation.call(context, { schedule }))}`]);
  },
});

export const scheduleTools = [addTool, listTool, changeTool];

const longestLine = 300;

/** A schedule on one line. */
function scheduleLine(schedule: ScheduleView): string {
  const { name, kind, summary = kind, cron, tz, every_ms: everyMs, state, next_at: nextAt, counts, last } = schedule;
  const plan = cron === undefined ? `every ${(everyMs ?? 0) / 1_000} s` : `"${cron}" (${tz ?? ""})`;
  const skipped = counts.missed + counts.overlap + counts.refused;
  const parts = [
    `${name}: ${summary}`,
    plan,
    state === "paused"
      ? `paused${schedule.pause_reason === undefined ? "" : `: ${schedule.pause_reason}`}`
      : `next ${nextAt ?? ""}`,
    `${counts.runs} runs${skipped === 0 ? "" : `, ${skipped} skipped`}`,
    ...(last === undefined ? [] : [`last ${last.state}${last.skipped === undefined ? "" : ` (${last.skipped})`}`]),
  ];
  return shorten(parts.join(" · "), longestLine);
}

function runLine({ planned_at: plannedAt, at, state, job_id: jobId, skipped, reason }: ScheduleRunView): string {
  const when = plannedAt ?? `${at} by hand`;
  return [when, state, jobId ?? skipped, reason].filter((part) => part !== undefined).join("  ");
}

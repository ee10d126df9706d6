import type { Job } from "../../../job/job.ts";
import { pageContract, type PageAnalysis } from "../../../kinds/page/contract.ts";
import { linkArtifacts } from "../../mcp/resources/artifact-resource.ts";
import type { JobAccess, Presenter } from "../../mcp/tools/job-tool.ts";
import { jobUri } from "../../mcp/resources/job-uri.ts";
import { fence } from "../../mcp/tools/clean-text.ts";
import { jobLine } from "./job-line.ts";
import { presentJob, textResult } from "./reply.ts";

const maxFindings = 10;

/** An analysis in few words, with a link to all of it. */
export const presentPage: Presenter = async (job: Job, access: JobAccess) => {
  if (job.state.status !== "succeeded") return presentJob(job, access);
  const parsed = pageContract.result.safeParse(await access.engine.result(job.id, access.actor));
  if (!parsed.success) return presentJob(job, access);
  const digest = toLines(parsed.data).join("\n");
  const uri = jobUri(job.id, "result");
  return textResult(
    [jobLine(job, Date.now()), fence(digest, "Analysis")],
    [
      { type: "resource_link", uri, name: `result of job ${job.id}`, mimeType: "application/json" },
      ...linkArtifacts(job.id, parsed.data.artifacts),
    ],
  );
};

function toLines({
  page,
  finalUrl,
  quality,
  layout,
  motion,
  responsive,
  performance,
  phases,
  method,
  methodReason,
}: PageAnalysis): string[] {
  const failed = phases.filter(({ state }) => state === "failed" || state === "timed_out");
  return [
    `${page.title} (${finalUrl})`,
    ...(method === "static" ? [`static analysis only: ${methodReason ?? ""}`] : []),
    ...failed.map(({ name, state, reason }) => `${name} ${state}: ${reason ?? ""}`),
    ...(quality === undefined
      ? []
      : [
          `grade ${quality.grade}, score ${quality.score} (${Object.entries(quality.axes)
            .map(([name, { score }]) => `${name} ${score}`)
            .join(", ")})`,
          ...quality.findings
            .slice(0, maxFindings)
            .map(({ severity, title, evidence }) => `- ${severity}: ${title} (${evidence.slice(0, 120)})`),
          ...(quality.findings.length > maxFindings ? [`- and ${quality.findings.length - maxFindings} more`] : []),
        ]),
    ...(performance === undefined ? [] : toLoadingLines(performance)),
    ...(layout === undefined ? [] : [`sections: ${layout.sections.map(({ type }) => type).join(", ")}`]),
    ...(motion?.warnings ?? []).map(({ message }) => `motion: ${message}`),
    ...(responsive?.problems ?? []).map(({ viewport, message }) => `${viewport}: ${message}`),
  ];
}

function toLoadingLines({
  conditions,
  vitals,
  transfer,
  findings,
}: NonNullable<PageAnalysis["performance"]>): string[] {
  const { firstByte, firstPaint, largestPaint, blocking, layoutShift } = vitals;
  const times = Object.entries({ firstByte, firstPaint, largestPaint, blocking }).map(
    ([name, { ms, rating }]) => `${name} ${ms} ms (${rating ?? "not measured"})`,
  );
  return [
    `loading, preset ${conditions.preset}: ${times.join(", ")}, layoutShift ${layoutShift.score} (${layoutShift.rating ?? "not measured"}), ${transfer.bytes} bytes in ${transfer.requests} requests`,
    ...findings
      .slice(0, maxFindings)
      .map(({ severity, title, evidence }) => `- ${severity}: ${title} (${evidence.slice(0, 120)})`),
    ...(findings.length > maxFindings ? [`- and ${findings.length - maxFindings} more`] : []),
  ];
}

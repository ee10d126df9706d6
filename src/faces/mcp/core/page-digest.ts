import type { Job } from "../../../job/job.ts";
import { pageDigestSchema, type PageDigest } from "../../../operations/page-digest.ts";
import { linkArtifacts } from "../artifact-resource.ts";
import type { JobAccess, Presenter } from "../job-tool.ts";
import { jobUri } from "../job-uri.ts";
import { fence } from "./clean-text.ts";
import { presentJob, toReply } from "./reply.ts";

const mostFindings = 10;

/** An analysis in few words, with a link to all of it. */
export const presentPage: Presenter = async (job: Job, access: JobAccess) => {
  if (job.state.status !== "succeeded") return presentJob(job, access);
  const parsed = pageDigestSchema.safeParse(await access.engine.result(job.id, access.actor));
  if (!parsed.success) return presentJob(job, access);
  const reply = toReply(job, Date.now());
  const digest = toLines(parsed.data).join("\n");
  const uri = jobUri(job.id, "result");
  return {
    content: [
      { type: "text", text: `job ${job.id} ${reply.message}\n${fence(digest, "Analysis")}` },
      { type: "resource_link", uri, name: `result of job ${job.id}`, mimeType: "application/json" },
      ...linkArtifacts(job.id, parsed.data.artifacts),
    ],
    structuredContent: { ...reply, result: shorten(parsed.data) },
  };
};

function toLines({
  page,
  finalUrl,
  quality,
  layout,
  motion,
  responsive,
  phases,
  method,
  methodReason,
}: PageDigest): string[] {
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
            .slice(0, mostFindings)
            .map(({ severity, title, evidence }) => `- ${severity}: ${title} (${evidence.slice(0, 120)})`),
          ...(quality.findings.length > mostFindings ? [`- and ${quality.findings.length - mostFindings} more`] : []),
        ]),
    ...(layout === undefined ? [] : [`sections: ${layout.sections.map(({ type }) => type).join(", ")}`]),
    ...(motion?.warnings ?? []).map(({ message }) => `motion: ${message}`),
    ...(responsive?.problems ?? []).map(({ viewport, message }) => `${viewport}: ${message}`),
  ];
}

function shorten({ quality, layout, ...rest }: PageDigest): object {
  return {
    ...rest,
    ...(quality === undefined ? {} : { quality: { ...quality, findings: quality.findings.slice(0, mostFindings) } }),
    ...(layout === undefined ? {} : { layout: { ...layout, sections: layout.sections.slice(0, 20) } }),
  };
}

import { z } from "zod";
import { attemptArtifact, attemptAsk, attemptProgress } from "../../operations/attempt.ts";
import { batchGet, batchList } from "../../operations/batch.ts";
import { agentCheck, agentDigest } from "../../operations/agent-digest.ts";
import { agentTurns } from "../../operations/agent-turns.ts";
import { crawlPages, crawlVisits } from "../../operations/crawl.ts";
import { jobArtifact } from "../../operations/artifact.ts";
import { endpointHealth, endpointList, endpointPurge } from "../../operations/endpoint.ts";
import { inboxList, jobSeen } from "../../operations/inbox.ts";
import { jobOutput } from "../../operations/output.ts";
import { jobRequestSchema, jobSubmit } from "../../operations/submit.ts";
import {
  jobAnswer,
  jobCancel,
  jobCount,
  jobEvents,
  jobGet,
  jobList,
  jobResize,
  jobResult,
  jobRetry,
  jobSend,
  jobSummary,
} from "../../operations/job.ts";
import { jobDelete } from "../../operations/remove.ts";
import { jobRerun } from "../../operations/rerun.ts";
import { jobFailures } from "../../operations/failures.ts";
import { jobSeries } from "../../operations/series.ts";
import { jobStats } from "../../operations/stats.ts";
import type { JobView, startedJobSchema } from "../../operations/job-view.ts";
import { isStart } from "../../operations/registry.ts";
import { startPath, type StartOperation } from "../../operations/start.ts";
import { jobWait } from "../../operations/wait.ts";
import type { Operation } from "../../operations/operation.ts";
import { libraryCode, libraryList, libraryRemove, librarySearch, libraryShow } from "../../operations/library.ts";
import { liveRead } from "../../operations/live.ts";
import { machineList } from "../../operations/machine.ts";
import { meGet } from "../../operations/me.ts";
import { pageCompare } from "../../operations/page.ts";
import { runAgents } from "../../operations/run-agents.ts";
import { jobsPrune, kindList, kindPause, kindResume, serverStatus } from "../../operations/server.ts";
import {
  scheduleAdd,
  scheduleDelete,
  scheduleGet,
  scheduleList,
  schedulePause,
  scheduleResume,
  scheduleRun,
} from "../../operations/schedule.ts";
import { sessionCode, sessionList, sessionRevoke } from "../../operations/session.ts";
import { tokenCreate, tokenList, tokenRevoke } from "../../operations/token.ts";
import { notifyTest } from "../../operations/notify.ts";
import { webhookList, webhookRedeliver } from "../../operations/webhook.ts";
import { HttpError } from "../door/http-error.ts";
import { toldRoute, type Fields, type OperationRoute, type Reply, type RequestHeaders, type Route } from "./route.ts";

const keyHeader = {
  "idempotency-key": "A second request with this key starts nothing and finds the first one's job.",
};

/** Starts a job of one kind in that kind's own words. */
const start = (path: string, operation: StartOperation): OperationRoute =>
  toldRoute({
    method: "POST",
    path,
    tag: "jobs",
    operation,
    fields: "body",
    headers: keyHeader,
    statuses: [201, 200],
    toInput: (fields, headers) => withKey(fields, headers["idempotency-key"]),
    reply: (job) => tellStarted(job),
  });

const firstJob = ({ jobs: [job] }: { jobs: JobView[] }): Reply => ({ body: job });

/** Every address of this face. The router and the OpenAPI document are both made from it. */
export function createRoutes(operations: readonly Operation[]): readonly Route[] {
  const starting = operations.filter(isStart);
  return [...starting.map((operation) => start(startPath(operation.verb), operation)), ...fixedRoutes];
}

const fixedRoutes: readonly Route[] = [
  toldRoute({
    method: "POST",
    path: "/v1/jobs",
    tag: "jobs",
    operation: jobSubmit,
    fields: "body",
    body: z.union([jobRequestSchema, jobSubmit.input]),
    headers: keyHeader,
    toInput: toSubmission,
    reply: tellSubmission,
    statuses: [201, 200],
  }),
  { method: "POST", path: "/v1/agents/batch", tag: "jobs", operation: runAgents, fields: "body" },
  { method: "POST", path: "/v1/agents/check", tag: "jobs", operation: agentCheck, fields: "body", isSlow: true },
  { method: "GET", path: "/v1/pages/compare", tag: "jobs", operation: pageCompare, fields: "query" },
  { method: "GET", path: "/v1/jobs", tag: "jobs", operation: jobList, fields: "query" },
  { method: "POST", path: "/v1/jobs/cancel", tag: "jobs", operation: jobCancel, fields: "body" },
  { method: "POST", path: "/v1/jobs/retry", tag: "jobs", operation: jobRetry, fields: "body" },
  { method: "POST", path: "/v1/jobs/seen", tag: "jobs", operation: jobSeen, fields: "body" },
  { method: "GET", path: "/v1/inbox", tag: "jobs", operation: inboxList, fields: "query" },
  { method: "POST", path: "/v1/jobs/delete", tag: "jobs", operation: jobDelete, fields: "body", isSlow: true },
  { method: "POST", path: "/v1/wait", tag: "jobs", operation: jobWait, fields: "body", isSlow: true },
  { method: "GET", path: "/v1/jobs/{id}", tag: "job", operation: jobGet, fields: "query" },
  { method: "GET", path: "/v1/jobs/{id}/result", tag: "job", operation: jobResult, fields: "query" },
  {
    method: "GET",
    path: "/v1/jobs/{id}/events",
    tag: "job",
    operation: jobEvents,
    fields: "query",
    live: "events",
  },
  {
    method: "GET",
    path: "/v1/jobs/{id}/output",
    tag: "job",
    operation: jobOutput,
    fields: "query",
    live: "output",
    isRaw: true,
    isSlow: true,
  },
  ...(["GET", "POST"] as const).map((method): OperationRoute => ({
    method,
    path: "/v1/jobs/{id}/wait",
    tag: "job",
    operation: jobWait,
    isOneOfMany: true,
    isSlow: true,
    fields: method === "GET" ? "query" : "body",
  })),
  { method: "GET", path: "/v1/jobs/{id}/pages", tag: "job", operation: crawlPages, fields: "query", hasLines: true },
  { method: "GET", path: "/v1/jobs/{id}/visits", tag: "job", operation: crawlVisits, fields: "query" },
  { method: "GET", path: "/v1/jobs/{id}/turns", tag: "job", operation: agentTurns, fields: "query" },
  { method: "GET", path: "/v1/jobs/{id}/artifacts", tag: "job", operation: jobArtifact, fields: "query" },
  {
    method: "GET",
    path: "/v1/jobs/{id}/artifacts/{name}",
    tag: "job",
    operation: jobArtifact,
    fields: "query",
    isFile: true,
  },
  {
    method: "POST",
    path: "/v1/jobs/{id}/summary",
    tag: "job",
    operation: jobSummary,
    fields: "body",
    isSlow: true,
  },
  { method: "POST", path: "/v1/jobs/{id}/send", tag: "job", operation: jobSend, fields: "body" },
  { method: "POST", path: "/v1/jobs/{id}/resize", tag: "job", operation: jobResize, fields: "body" },
  { method: "POST", path: "/v1/jobs/{id}/answer", tag: "job", operation: jobAnswer, fields: "body" },
  toldRoute({
    method: "POST",
    path: "/v1/jobs/{id}/cancel",
    tag: "job",
    operation: jobCancel,
    fields: "body",
    isOneOfMany: true,
    reply: firstJob,
  }),
  toldRoute({
    method: "POST",
    path: "/v1/jobs/{id}/retry",
    tag: "job",
    operation: jobRetry,
    fields: "body",
    isOneOfMany: true,
    reply: firstJob,
  }),
  toldRoute({
    method: "POST",
    path: "/v1/jobs/{id}/rerun",
    tag: "job",
    operation: jobRerun,
    fields: "body",
    headers: keyHeader,
    toInput: (fields, headers) => withKey(fields, headers["idempotency-key"]),
    reply: (job) => tellStarted(job),
    statuses: [201, 200],
  }),
  toldRoute({
    method: "DELETE",
    path: "/v1/jobs/{id}",
    tag: "job",
    operation: jobDelete,
    fields: "query",
    isOneOfMany: true,
    isSlow: true,
    reply: firstJob,
  }),
  { method: "GET", path: "/v1/batches", tag: "batches", operation: batchList, fields: "query" },
  { method: "GET", path: "/v1/library", tag: "library", operation: libraryList, fields: "query" },
  { method: "GET", path: "/v1/library/search", tag: "library", operation: librarySearch, fields: "query" },
  { method: "GET", path: "/v1/library/{id}", tag: "library", operation: libraryShow, fields: "query" },
  { method: "GET", path: "/v1/library/{id}/code", tag: "library", operation: libraryCode, fields: "query" },
  { method: "POST", path: "/v1/library/{id}/remove", tag: "library", operation: libraryRemove, fields: "body" },
  { method: "GET", path: "/v1/batches/{batch}", tag: "batches", operation: batchGet, fields: "query" },
  { method: "GET", path: "/v1/batches/{batch}/digest", tag: "batches", operation: agentDigest, fields: "query" },
  { method: "GET", path: "/v1/endpoints", tag: "endpoints", operation: endpointList, fields: "query" },
  {
    method: "GET",
    path: "/v1/endpoints/{endpoint}/health",
    tag: "endpoints",
    operation: endpointHealth,
    fields: "query",
  },
  {
    method: "POST",
    path: "/v1/endpoints/{endpoint}/purge",
    tag: "endpoints",
    operation: endpointPurge,
    fields: "body",
  },
  { method: "GET", path: "/v1/webhooks", tag: "webhooks", operation: webhookList, fields: "query" },
  { method: "POST", path: "/v1/webhooks/redeliver", tag: "webhooks", operation: webhookRedeliver, fields: "body" },
  { method: "POST", path: "/v1/notify/test", tag: "webhooks", operation: notifyTest, fields: "body", isSlow: true },
  toldRoute({
    method: "POST",
    path: "/v1/tokens",
    tag: "tokens",
    operation: tokenCreate,
    fields: "body",
    reply: (output) => ({ status: 201, body: output }),
    statuses: [201],
  }),
  { method: "GET", path: "/v1/tokens", tag: "tokens", operation: tokenList, fields: "query" },
  { method: "POST", path: "/v1/tokens/{token}/revoke", tag: "tokens", operation: tokenRevoke, fields: "body" },
  { method: "POST", path: "/v1/sessions/code", tag: "tokens", operation: sessionCode, fields: "body" },
  { method: "GET", path: "/v1/sessions", tag: "tokens", operation: sessionList, fields: "query" },
  { method: "POST", path: "/v1/sessions/{session}/revoke", tag: "tokens", operation: sessionRevoke, fields: "body" },
  { method: "POST", path: "/v1/attempt/progress", tag: "attempt", operation: attemptProgress, fields: "body" },
  { method: "POST", path: "/v1/attempt/question", tag: "attempt", operation: attemptAsk, fields: "body", isSlow: true },
  { method: "POST", path: "/v1/attempt/artifact", tag: "attempt", operation: attemptArtifact, fields: "body" },
  toldRoute({
    method: "POST",
    path: "/v1/schedules",
    tag: "schedules",
    operation: scheduleAdd,
    fields: "body",
    reply: (output) => ({ status: 201, headers: { location: `/v1/schedules/${output.id}` }, body: output }),
    statuses: [201],
  }),
  { method: "GET", path: "/v1/schedules", tag: "schedules", operation: scheduleList, fields: "query" },
  { method: "GET", path: "/v1/schedules/{schedule}", tag: "schedules", operation: scheduleGet, fields: "query" },
  toldRoute({
    method: "POST",
    path: "/v1/schedules/{schedule}/run",
    tag: "schedules",
    operation: scheduleRun,
    fields: "body",
    headers: keyHeader,
    statuses: [201, 200],
    toInput: (fields, headers) => withKey(fields, headers["idempotency-key"]),
    reply: (job) => tellStarted(job),
  }),
  ...[
    { verb: "pause", operation: schedulePause },
    { verb: "resume", operation: scheduleResume },
    { verb: "delete", operation: scheduleDelete },
  ].map(({ verb, operation }): OperationRoute => ({
    method: "POST",
    path: `/v1/schedules/{schedule}/${verb}`,
    tag: "schedules",
    operation,
    fields: "body",
  })),
  { method: "GET", path: "/v1/kinds", tag: "server", operation: kindList, fields: "query" },
  { method: "GET", path: "/v1/machines", tag: "server", operation: machineList, fields: "query" },
  { method: "POST", path: "/v1/kinds/{kind}/pause", tag: "server", operation: kindPause, fields: "body" },
  { method: "POST", path: "/v1/kinds/{kind}/resume", tag: "server", operation: kindResume, fields: "body" },
  { method: "POST", path: "/v1/prune", tag: "server", operation: jobsPrune, fields: "body" },
  { method: "GET", path: "/v1/counts", tag: "jobs", operation: jobCount, fields: "query" },
  { method: "GET", path: "/v1/series", tag: "jobs", operation: jobSeries, fields: "query" },
  { method: "GET", path: "/v1/failures", tag: "jobs", operation: jobFailures, fields: "query" },
  { method: "GET", path: "/v1/stats", tag: "jobs", operation: jobStats, fields: "query" },
  { method: "GET", path: "/v1/live", tag: "jobs", operation: liveRead, fields: "query", live: "changes", isSlow: true },
  { method: "GET", path: "/v1/me", tag: "server", operation: meGet, fields: "query" },
  { method: "GET", path: "/v1/status", tag: "server", operation: serverStatus, fields: "query" },
  {
    method: "GET",
    path: "/healthz",
    tag: "probes",
    page: "health",
    scope: undefined,
    type: "application/json",
    summary: "Says that the server is alive.",
    statuses: [200],
  },
  {
    method: "GET",
    path: "/readyz",
    tag: "probes",
    page: "readiness",
    scope: undefined,
    type: "application/json",
    summary: "Says whether the server accepts work: not while it is stopping, or when nothing can be stored.",
    statuses: [200],
  },
  {
    method: "GET",
    path: "/metrics",
    tag: "probes",
    page: "metrics",
    scope: "read",
    type: "text/plain; version=0.0.4; charset=utf-8",
    summary: "Figures for Prometheus.",
    statuses: [200],
  },
  {
    method: "GET",
    path: "/openapi.json",
    tag: "documents",
    page: "openapi",
    scope: undefined,
    type: "application/json",
    summary: "This interface as an OpenAPI document.",
    statuses: [200],
  },
  {
    method: "GET",
    path: "/docs",
    tag: "documents",
    page: "docs",
    scope: undefined,
    type: "text/html; charset=utf-8",
    summary: "This interface, to read.",
    statuses: [200],
  },
];

function toSubmission(fields: Fields, headers: RequestHeaders): unknown {
  const key = headers["idempotency-key"];
  if (!("jobs" in fields)) return { jobs: [withKey(fields, key)] };
  if (key === undefined || !Array.isArray(fields["jobs"])) return fields;
  // Each of them needs a key of its own, and the same one when the request is sent again.
  return { ...fields, jobs: fields["jobs"].map((job: Fields, index) => withKey(job, `${String(key)} ${index}`)) };
}

function withKey(fields: Fields, key: string | string[] | undefined): Fields {
  if (key === undefined || typeof fields !== "object" || fields === null) return fields;
  if (fields["idempotency_key"] === undefined) return { ...fields, idempotency_key: key };
  throw new HttpError(400, "invalid_input", "The idempotency key is given twice: in the header and in the body.");
}

type StartedJob = z.input<typeof startedJobSchema>;

function tellSubmission({ jobs }: { jobs: StartedJob[] }, fields: Fields): Reply {
  const [first] = jobs;
  if (!("jobs" in fields) && first !== undefined) return tellStarted(first);
  return { status: jobs.every((job) => job.is_known === true) ? 200 : 201, body: { jobs } };
}

function tellStarted(job: StartedJob): Reply {
  return { status: job.is_known === true ? 200 : 201, headers: { location: `/v1/jobs/${job.id}` }, body: job };
}

import type { z } from "zod";
import type { Kind } from "../job/kind.ts";
import { agentCheck, agentDigest } from "./agent-digest.ts";
import { attemptArtifact, attemptAsk, attemptProgress } from "./attempt.ts";
import { batchGet, batchList } from "./batch.ts";
import { agentTurns } from "./agent-turns.ts";
import { crawlPages, crawlVisits } from "./crawl.ts";
import { jobArtifact } from "./artifact.ts";
import { endpointHealth, endpointList, endpointPurge } from "./endpoint.ts";
import { inboxList, jobSeen } from "./inbox.ts";
import { jobOutput } from "./output.ts";
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
} from "./job.ts";
import { jobDelete } from "./remove.ts";
import { jobRerun } from "./rerun.ts";
import { jobFailures } from "./failures.ts";
import { jobSeries } from "./series.ts";
import { jobStats } from "./stats.ts";
import { jobSubmit } from "./submit.ts";
import { jobWait } from "./wait.ts";
import type { Operation } from "./operation.ts";
import { startOperationOf, type StartOperation } from "./start.ts";
import * as starts from "./start-operations.ts";
import { libraryCode, libraryList, libraryRemove, librarySearch, libraryShow } from "./library.ts";
import { liveRead } from "./live.ts";
import { meGet } from "./me.ts";
import { runAgents } from "./run-agents.ts";
import { pageCompare } from "./page.ts";
import { machineList } from "./machine.ts";
import { jobsPrune, kindList, kindPause, kindResume, serverStatus } from "./server.ts";
import {
  scheduleAdd,
  scheduleDelete,
  scheduleGet,
  scheduleList,
  schedulePause,
  scheduleResume,
  scheduleRun,
} from "./schedule.ts";
import { sessionCode, sessionList, sessionRevoke } from "./session.ts";
import { tokenCreate, tokenList, tokenRevoke } from "./token.ts";
import { notifyTest } from "./notify.ts";
import { webhookList, webhookRedeliver } from "./webhook.ts";

const builtIn = [
  starts.runCommand,
  starts.runAgent,
  runAgents,
  agentDigest,
  agentCheck,
  starts.runEndpoint,
  jobSubmit,
  starts.analyzePage,
  pageCompare,
  librarySearch,
  libraryShow,
  libraryCode,
  libraryList,
  libraryRemove,
  starts.crawlSite,
  starts.mapSite,
  starts.pageMarkdown,
  starts.pageExtract,
  starts.pageScreenshot,
  starts.pageBrowse,
  starts.webSearch,
  starts.searchExtract,
  crawlPages,
  crawlVisits,
  agentTurns,
  jobGet,
  jobSummary,
  jobResult,
  jobList,
  jobCount,
  jobStats,
  jobSeries,
  jobFailures,
  jobWait,
  jobOutput,
  jobArtifact,
  jobEvents,
  jobSend,
  jobResize,
  jobAnswer,
  jobCancel,
  jobRetry,
  inboxList,
  jobSeen,
  jobRerun,
  jobDelete,
  batchList,
  batchGet,
  kindList,
  machineList,
  webhookList,
  webhookRedeliver,
  notifyTest,
  kindPause,
  kindResume,
  jobsPrune,
  endpointList,
  endpointHealth,
  endpointPurge,
  serverStatus,
  meGet,
  liveRead,
  tokenCreate,
  tokenList,
  tokenRevoke,
  sessionCode,
  sessionList,
  sessionRevoke,
  attemptProgress,
  attemptAsk,
  attemptArtifact,
  scheduleAdd,
  scheduleList,
  scheduleGet,
  schedulePause,
  scheduleResume,
  scheduleRun,
  scheduleDelete,
] as const satisfies readonly Operation[];

/** Every verb of the product, with those that start jobs of the built-in kinds. */
export const operations: readonly Operation[] = builtIn;

type BuiltIn = (typeof builtIn)[number];
export type OperationName = BuiltIn["name"];
type Named<Name extends OperationName> = Extract<BuiltIn, { readonly name: Name }>;

/** What an operation takes and what it answers, by its name: all that a caller in another process needs. */
export type InputOf<Name extends OperationName> = z.input<Named<Name>["input"]>;
export type AnswerOf<Name extends OperationName> = z.input<Named<Name>["output"]>;

/** Every verb of a server with these kinds: those above, and one for each way to start a kind that they do not know. */
export function operationsFor(kinds: readonly Pick<Kind, "name" | "verbs">[]): readonly Operation[] {
  const known = new Set(operations.map(({ name }) => name));
  const starting = kinds.flatMap(({ name, verbs }) => verbs.map((verb) => startOperationOf(name, verb)));
  return [...operations, ...starting.filter(({ name }) => !known.has(name))];
}

export function isStart(operation: Operation): operation is StartOperation {
  return "verb" in operation;
}

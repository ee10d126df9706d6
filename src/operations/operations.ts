import { agentCheck, agentDigest } from "./agent-digest.ts";
import { analyzePage } from "./analyze-page.ts";
import { batchGet, batchList } from "./batch-verbs.ts";
import { crawlPages } from "./crawl-pages.ts";
import { crawlOperations } from "./crawl-verbs.ts";
import { jobArtifact } from "./job-artifact.ts";
import { endpointHealth, endpointList, endpointPurge, runEndpoint } from "./endpoint-verbs.ts";
import { jobOutput } from "./job-output.ts";
import {
  jobAnswer,
  jobCancel,
  jobCount,
  jobEvents,
  jobGet,
  jobList,
  jobResult,
  jobRetry,
  jobSend,
  jobSummary,
} from "./job-verbs.ts";
import { jobSubmit } from "./job-submit.ts";
import { jobWait } from "./job-wait.ts";
import type { Operation } from "./operation.ts";
import { runAgent, runAgents } from "./run-agent.ts";
import { pageCompare } from "./page-compare.ts";
import { runCommand } from "./run-command.ts";
import { jobsPrune, kindList, kindPause, kindResume, serverStatus } from "./server-verbs.ts";
import { tokenCreate, tokenList, tokenRevoke } from "./token-verbs.ts";
import { webhookList, webhookRedeliver } from "./webhook-verbs.ts";

/** Every verb of the product. */
export const operations: readonly Operation[] = [
  runCommand,
  runAgent,
  runAgents,
  agentDigest,
  agentCheck,
  runEndpoint,
  jobSubmit,
  analyzePage,
  pageCompare,
  ...crawlOperations,
  crawlPages,
  jobGet,
  jobSummary,
  jobResult,
  jobList,
  jobCount,
  jobWait,
  jobOutput,
  jobArtifact,
  jobEvents,
  jobSend,
  jobAnswer,
  jobCancel,
  jobRetry,
  batchList,
  batchGet,
  kindList,
  webhookList,
  webhookRedeliver,
  kindPause,
  kindResume,
  jobsPrune,
  endpointList,
  endpointHealth,
  endpointPurge,
  serverStatus,
  tokenCreate,
  tokenList,
  tokenRevoke,
];

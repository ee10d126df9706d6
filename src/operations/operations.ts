import { agentCheck, agentDigest } from "./agent-digest.ts";
import { batchGet, batchList } from "./batch-verbs.ts";
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
} from "./job-verbs.ts";
import { jobSubmit } from "./job-submit.ts";
import { jobWait } from "./job-wait.ts";
import type { Operation } from "./operation.ts";
import { runAgent, runAgents } from "./run-agent.ts";
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
  jobSubmit,
  jobGet,
  jobResult,
  jobList,
  jobCount,
  jobWait,
  jobOutput,
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
  serverStatus,
  tokenCreate,
  tokenList,
  tokenRevoke,
];

import { jobOutput } from "./job-output.ts";
import { jobAnswer, jobCancel, jobCount, jobEvents, jobGet, jobList, jobRetry, jobSend } from "./job-verbs.ts";
import { jobWait } from "./job-wait.ts";
import type { Operation } from "./operation.ts";
import { runCommand } from "./run-command.ts";
import { jobsPrune, kindPause, kindResume, serverStatus } from "./server-verbs.ts";
import { tokenCreate, tokenList, tokenRevoke } from "./token-verbs.ts";

/** Every verb of the product. */
export const operations: readonly Operation[] = [
  runCommand,
  jobGet,
  jobList,
  jobCount,
  jobWait,
  jobOutput,
  jobEvents,
  jobSend,
  jobAnswer,
  jobCancel,
  jobRetry,
  kindPause,
  kindResume,
  jobsPrune,
  serverStatus,
  tokenCreate,
  tokenList,
  tokenRevoke,
];

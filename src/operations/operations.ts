import { analyzePage } from "./analyze-page.ts";
import { jobArtifact } from "./job-artifact.ts";
import { jobOutput } from "./job-output.ts";
import { jobAnswer, jobCancel, jobCount, jobEvents, jobGet, jobList, jobRetry, jobSend } from "./job-verbs.ts";
import { jobWait } from "./job-wait.ts";
import type { Operation } from "./operation.ts";
import { pageCompare } from "./page-compare.ts";
import { runCommand } from "./run-command.ts";
import { jobsPrune, kindPause, kindResume, serverStatus } from "./server-verbs.ts";

/** Every verb of the product. */
export const operations: readonly Operation[] = [
  runCommand,
  analyzePage,
  pageCompare,
  jobGet,
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
  kindPause,
  kindResume,
  jobsPrune,
  serverStatus,
];

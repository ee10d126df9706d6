import { endpointHealth, endpointList, endpointPurge, runEndpoint } from "./endpoint-verbs.ts";
import { jobOutput } from "./job-output.ts";
import { jobAnswer, jobCancel, jobCount, jobEvents, jobGet, jobList, jobRetry, jobSend } from "./job-verbs.ts";
import { jobWait } from "./job-wait.ts";
import type { Operation } from "./operation.ts";
import { runCommand } from "./run-command.ts";
import { jobsPrune, kindPause, kindResume, serverStatus } from "./server-verbs.ts";

/** Every verb of the product. */
export const operations: readonly Operation[] = [
  runCommand,
  runEndpoint,
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
  endpointList,
  endpointHealth,
  endpointPurge,
  serverStatus,
];

export { openEngine, type OpenOptions } from "./server/open-engine.ts";
export { openSharedEngine, type SharedEngine, type SharedOptions } from "./server/share/open-shared-engine.ts";
export type { SubmitOptions, TypedEngine } from "./engine/typed-engine.ts";
export type { JobEnd, JobOf } from "./job/typed-job.ts";
export type { Access, Actor, Scope } from "./engine/access.ts";
export type { Engine } from "./engine/engine.ts";
export type { OutputRequest } from "./engine/reads.ts";
export type { ScheduleBook } from "./engine/schedules/schedule-book.ts";
export type { ScheduleRequest } from "./engine/schedules/schedule-request.ts";
export type { EngineOptions, LogEntry } from "./engine/settings.ts";
export type { SubmitRequest } from "./engine/submit.ts";
export type { Token, TokenBook, TokenCheck, TokenRequest } from "./engine/tokens.ts";
export type { WebhookOptions } from "./engine/webhooks/webhook-settings.ts";
export type { WaitOptions, WaitResult, WaitUntil } from "./engine/wait.ts";
export type { QueueDiagnosis } from "./engine/queue-diagnosis.ts";
export type { Clock } from "./engine/clock.ts";
export { defineContract, type Contract, type StartVerb, type ToolFacts } from "./job/contract.ts";
export { defineKind, PartialResult } from "./job/kind.ts";
export type {
  ChildRequest,
  Checkpoint,
  JobContext,
  Kind,
  KindOf,
  OnInterrupt,
  OutputStream,
  AttemptHandlers,
  StopCause,
} from "./job/kind.ts";
export { LonghaulError, type ErrorCode } from "./job/error.ts";
export { JobFailure, type Failure, type JobFailureFacts } from "./job/failure.ts";
export { isJobId, type JobId } from "./job/id.ts";
export type { Job, JobSpec, Limits, Retention } from "./job/job.ts";
export type { Json } from "./job/json.ts";
export type { JobEvent, LogLevel } from "./job/event.ts";
export type { Answer, AskedQuestion, Question } from "./job/question.ts";
export type { Backoff } from "./job/retry.ts";
export { isTerminal, jobStatuses } from "./job/state.ts";
export type { JobState, JobStatus, Progress } from "./job/state.ts";
export type { JobFilter, JobPage, PageRequest, StatusCount } from "./store/store.ts";
export type { OutputFile, OutputSize } from "./job/output.ts";
export type { Delivery, DeliveryFilter, DeliveryPage, DeliveryState } from "./store/delivery.ts";
export type { Schedule, ScheduleRun } from "./store/schedule-store.ts";
export type { OutputSlice } from "./store/output-store.ts";

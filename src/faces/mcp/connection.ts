import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ClientSettings } from "../../config/client-settings.ts";
import type { Job } from "../../job/job.ts";
import type { ActorFor } from "./protocol/client-root.ts";
import type { JobAccess, JobTool } from "./tools/job-tool.ts";
import type { OutcomeCache } from "./tasks/outcome.ts";

/** For whom one instance of an MCP server works, and how. An endpoint makes it. */
export interface JobsContext extends JobAccess {
  /** `legacy` is 2025-11-25 and before: tasks are asked for by the client, and live within a session. */
  readonly era: "modern" | "legacy";
  /** Callers that are told apart may list their tasks; others would see everybody's. */
  readonly isIdentified: boolean;
  readonly settings?: ClientSettings;
  /** The request is for a task, so tools need not be set up to answer it. */
  readonly isTaskRequest: boolean;
  /** Whether a message that answers no request can reach the client now. */
  readonly canPush: () => boolean;
  /** Aborted when the connection has ended. */
  readonly signal: AbortSignal;
  /** Shared by all instances of an endpoint. */
  readonly outcomes: OutcomeCache;
  /** Tells whoever made this context what was built on it. */
  readonly onServed?: (connection: JobsConnection) => void;
}

export interface JobsConnection extends JobsContext {
  readonly actorFor: ActorFor;
  readonly present: (tool: JobTool | undefined, job: Job) => Promise<CallToolResult>;
}

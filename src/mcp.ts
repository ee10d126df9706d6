export { createMcpEndpoint } from "./faces/mcp/endpoint.ts";
export type { Caller, McpConnection, McpEndpoint, McpEndpointOptions } from "./faces/mcp/endpoint.ts";
export { guardMcp, toRequestListener, type McpHttpOptions } from "./faces/mcp/protocol/http.ts";
export { serveStreams } from "./faces/mcp/protocol/stdio.ts";
export { serveJobs, type JobServer, type ServeJobsOptions } from "./faces/mcp/serve-jobs.ts";
export type { JobsContext } from "./faces/mcp/connection.ts";
export type { JobToolDefinition, Presenter } from "./faces/mcp/tools/job-tool.ts";

import type { CliCommand } from "./command.ts";

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Its code is loaded only when it is called. */
  readonly load?: () => Promise<CliCommand>;
  readonly children?: readonly CommandEntry[];
}

const serverCommands: readonly CommandEntry[] = [
  {
    name: "status",
    summary: "show the server",
    load: async () => (await import("./commands/server-status.ts")).serverStatus,
  },
  {
    name: "stop",
    summary: "stop the server; running commands go on",
    load: async () => (await import("./commands/server-stop.ts")).serverStop,
  },
  {
    name: "restart",
    summary: "stop the server and start a new one; running commands go on",
    load: async () => (await import("./commands/server-restart.ts")).serverRestart,
  },
];

const endpointCommands: readonly CommandEntry[] = [
  {
    name: "list",
    summary: "list the endpoints that are configured",
    load: async () => (await import("./commands/endpoint-list.ts")).endpointList,
  },
  {
    name: "run",
    summary: "run a job on an endpoint and wait for its output; it goes on whatever happens here",
    load: async () => (await import("./commands/endpoint-run.ts")).endpointRun,
  },
  {
    name: "health",
    summary: "show how many jobs and workers an endpoint has",
    load: async () => (await import("./commands/endpoint-health.ts")).endpointHealth,
  },
  {
    name: "purge",
    summary: "cancel all jobs that wait in an endpoint's queue",
    load: async () => (await import("./commands/endpoint-purge.ts")).endpointPurge,
  },
  {
    name: "init",
    summary: "write an example of a local endpoint, and configure it",
    load: async () => (await import("./commands/endpoint-init.ts")).endpointInit,
  },
];

const tokenCommands: readonly CommandEntry[] = [
  {
    name: "create",
    summary: "make a token; it is shown this once",
    load: async () => (await import("./commands/token-create.ts")).tokenCreate,
  },
  {
    name: "list",
    summary: "list tokens, without their secrets",
    load: async () => (await import("./commands/token-list.ts")).tokenList,
  },
  {
    name: "revoke",
    summary: "revoke a token, by its name or id",
    load: async () => (await import("./commands/token-revoke.ts")).tokenRevoke,
  },
];

const webhookCommands: readonly CommandEntry[] = [
  {
    name: "list",
    summary: "list what was or is to be posted to webhooks",
    load: async () => (await import("./commands/webhook-list.ts")).webhookList,
  },
  {
    name: "redeliver",
    summary: "post to a webhook again",
    load: async () => (await import("./commands/webhook-redeliver.ts")).webhookRedeliver,
  },
  {
    name: "secret",
    summary: "print the secret that webhooks are signed with",
    load: async () => (await import("./commands/webhook-secret.ts")).webhookSecret,
  },
];

/** Every command, in the order in which the help shows them. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "run a command and follow its output; it goes on whatever happens here",
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    name: "agent",
    summary: "let an AI agent work on a task; it goes on whatever happens here",
    load: async () => (await import("./commands/agent.ts")).agent,
  },
  {
    name: "analyze",
    summary: "analyse a web page in a browser: layout, motion, quality, other window sizes",
    load: async () => (await import("./commands/analyze.ts")).analyze,
  },
  {
    name: "crawl",
    summary: "crawl a website: clean Markdown and data of its pages",
    load: async () => (await import("./commands/crawl.ts")).crawl,
  },
  {
    name: "map",
    summary: "list the URLs of a website",
    load: async () => (await import("./commands/map.ts")).map,
  },
  {
    name: "markdown",
    summary: "print a web page as Markdown",
    load: async () => (await import("./commands/markdown.ts")).markdown,
  },
  { name: "endpoint", summary: "run jobs on remote or local endpoints", children: endpointCommands },
  { name: "ps", summary: "list jobs", load: async () => (await import("./commands/ps.ts")).ps },
  { name: "show", summary: "show one job", load: async () => (await import("./commands/show.ts")).show },
  { name: "logs", summary: "print a job's output", load: async () => (await import("./commands/logs.ts")).logs },
  {
    name: "wait",
    summary: "wait for jobs; exits with their exit code",
    load: async () => (await import("./commands/wait.ts")).wait,
  },
  {
    name: "send",
    summary: "send text to a job's standard input",
    load: async () => (await import("./commands/send.ts")).send,
  },
  {
    name: "answer",
    summary: "answer a question that a job asks",
    load: async () => (await import("./commands/answer.ts")).answer,
  },
  { name: "cancel", summary: "cancel jobs", load: async () => (await import("./commands/cancel.ts")).cancel },
  {
    name: "retry",
    summary: "run jobs again that did not succeed",
    load: async () => (await import("./commands/retry.ts")).retry,
  },
  {
    name: "events",
    summary: "show what happened to a job",
    load: async () => (await import("./commands/events.ts")).events,
  },
  { name: "webhook", summary: "see and repeat what is posted to webhooks", children: webhookCommands },
  {
    name: "pause",
    summary: "start no more jobs of a kind",
    load: async () => (await import("./commands/pause.ts")).pause,
  },
  {
    name: "resume",
    summary: "start jobs of a paused kind again",
    load: async () => (await import("./commands/resume.ts")).resume,
  },
  {
    name: "prune",
    summary: "remove finished jobs whose time has ended",
    load: async () => (await import("./commands/prune.ts")).prune,
  },
  {
    name: "mcp",
    summary: "serve an MCP client on standard input and output",
    load: async () => (await import("./commands/mcp.ts")).mcp,
  },
  {
    name: "add",
    summary: "add Longhaul to an MCP client, such as Claude Code or Cursor",
    load: async () => (await import("./commands/add.ts")).add,
  },
  {
    name: "remove",
    summary: "remove Longhaul from an MCP client",
    load: async () => (await import("./commands/remove.ts")).remove,
  },
  {
    name: "serve",
    summary: "run the server here, until Ctrl-C",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  { name: "server", summary: "show, stop or restart the server", children: serverCommands },
  { name: "token", summary: "make, list or revoke tokens for HTTP and MCP over HTTP", children: tokenCommands },
  {
    name: "doctor",
    summary: "find out what is wrong with this installation",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "completions",
    summary: "print completions for a shell",
    load: async () => (await import("./commands/completions.ts")).completions,
  },
];

import type { CliCommand } from "./command.ts";

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Called by programs, and not shown to people. */
  readonly isHidden?: true;
  /** It is this command under another name; the help does not show it among the others. */
  readonly aliasOf?: string;
  /** Its code is loaded only when it is called. */
  readonly load?: () => Promise<CliCommand>;
  readonly children?: readonly CommandEntry[];
  /** Its commands are the verbs of the server's kinds. */
  readonly hasVerbs?: true;
}

/** Every command, in the order in which the help shows them. A command is exported by its file under its own name. */
export const commandTable: readonly CommandEntry[] = [
  command(
    "run",
    "run a command and follow its output; it keeps running whatever happens here",
    () => import("./commands/run.ts"),
  ),
  command(
    "agent",
    "let an AI agent work on a task; it keeps running whatever happens here",
    () => import("./commands/agent.ts"),
  ),
  command(
    "analyze",
    "analyse a web page in a browser: layout, motion, quality, other window sizes",
    () => import("./commands/page.ts"),
  ),
  group("library", "search the pages that were analysed, and make code of their sections", [
    command("search", "search sections, motions, backgrounds", () => import("./commands/library.ts")),
    command("show", "show a page with what is known of it, or one entry", () => import("./commands/library.ts")),
    command("code", "print a section as HTML and CSS, React or Vue", () => import("./commands/library.ts")),
    command("list", "list the pages that are kept", () => import("./commands/library.ts")),
    command("rm", "remove pages from the library; their jobs stay", () => import("./commands/library.ts")),
  ]),
  command("crawl", "crawl a website for clean Markdown and data", () => import("./commands/crawl.ts")),
  command("map", "list the URLs of a website", () => import("./commands/crawl.ts")),
  command("markdown", "print a web page as Markdown", () => import("./commands/crawl.ts")),
  { name: "start", summary: "start a job of any kind that the server has", hasVerbs: true },
  group("endpoint", "run jobs on remote or local endpoints", [
    command("list", "list the endpoints that are configured", () => import("./commands/endpoint.ts")),
    command(
      "run",
      "run a job on an endpoint and wait for its output; it keeps running whatever happens here",
      () => import("./commands/endpoint.ts"),
    ),
    command("health", "show how many jobs and workers an endpoint has", () => import("./commands/endpoint.ts")),
    command("purge", "cancel all jobs that wait in an endpoint's queue", () => import("./commands/endpoint.ts")),
    command(
      "init",
      "write an example of a local endpoint, and configure it",
      () => import("./commands/endpoint-init.ts"),
    ),
  ]),
  command("ps", "list jobs", () => import("./commands/ps.ts")),
  command(
    "inbox",
    "list open questions, and finished jobs that nobody has looked at",
    () => import("./commands/inbox.ts"),
  ),
  command("top", "watch and steer jobs on the whole screen", () => import("./commands/top.ts")),
  command("status", "show the server, or one job", () => import("./commands/status.ts")),
  command("stats", "sum up the jobs by kind: states, ends, running times", () => import("./commands/stats.ts")),
  command("show", "show one job", () => import("./commands/show.ts")),
  command("logs", "print a job's output", () => import("./commands/logs.ts")),
  command("wait", "wait for jobs; exits with their exit code", () => import("./commands/wait.ts")),
  command(
    "attach",
    "type and see in a job's terminal, or send it lines; leaving it does not end it",
    () => import("./commands/attach.ts"),
  ),
  command("send", "send text to a job's standard input", () => import("./commands/job.ts")),
  command("answer", "answer a question that a job asks", () => import("./commands/job.ts")),
  command("cancel", "cancel jobs", () => import("./commands/job.ts")),
  command("stop", "end jobs, as cancel does", () => import("./commands/stop.ts")),
  command("retry", "retry jobs that did not succeed", () => import("./commands/job.ts")),
  command("rerun", "start a new job like a finished one", () => import("./commands/rerun.ts")),
  command("restart", "end jobs that run, and run them again", () => import("./commands/restart.ts")),
  command("rm", "remove finished jobs, with their output", () => import("./commands/rm.ts")),
  command("events", "show what happened to a job", () => import("./commands/show.ts")),
  group("batch", "see, wait for or cancel the jobs of a batch", [
    command("list", "list batches, with how far each has come", () => import("./commands/batch.ts")),
    command("show", "show how far a batch has come, and its jobs", () => import("./commands/batch.ts")),
    command("wait", "wait for all jobs of a batch; exits with their exit code", () => import("./commands/batch.ts")),
    command("cancel", "cancel all jobs of a batch", () => import("./commands/batch.ts")),
  ]),
  group("schedule", "start jobs by the clock: at set times, or every so often", [
    command("add", "start a job at set times, or every so often", () => import("./commands/schedule.ts")),
    command("list", "list schedules", () => import("./commands/schedule.ts")),
    command(
      "show",
      "show a schedule: its next times and what came of the last",
      () => import("./commands/schedule.ts"),
    ),
    command("pause", "start nothing more until it is resumed", () => import("./commands/schedule.ts")),
    command("resume", "go on with the next time from now", () => import("./commands/schedule.ts")),
    command("run", "start its job now", () => import("./commands/schedule.ts")),
    command("rm", "delete a schedule; its jobs stay", () => import("./commands/schedule.ts")),
  ]),
  group("webhook", "see webhook deliveries and send them again", [
    command("list", "list webhook deliveries, past and pending", () => import("./commands/webhook.ts")),
    command("redeliver", "send a webhook delivery again", () => import("./commands/webhook.ts")),
    command("secret", "print the secret that webhooks are signed with", () => import("./commands/webhook.ts")),
  ]),
  group("notify", "try how you are notified", [
    command("test", "notify somebody now, and say what came of it", () => import("./commands/notify.ts")),
  ]),
  command("progress", "inside a command: tell how far its job is", () => import("./commands/inside.ts")),
  command("ask", "inside a command: ask a person and wait for the answer", () => import("./commands/inside.ts")),
  command("artifact", "inside a command: keep a file with its job", () => import("./commands/inside.ts")),
  command("machines", "list the machines that run jobs", () => import("./commands/machines.ts")),
  command("pause", "start no more jobs of a kind", () => import("./commands/job.ts")),
  command("resume", "start jobs of a paused kind again", () => import("./commands/job.ts")),
  command("prune", "remove finished jobs that need not be kept any longer", () => import("./commands/job.ts")),
  command("mcp", "serve an MCP client on standard input and output", () => import("./commands/mcp.ts")),
  command("add", "add Longhaul to an MCP client, such as Claude Code or Cursor", () => import("./commands/client.ts")),
  command("remove", "remove Longhaul from an MCP client", () => import("./commands/client.ts")),
  command("serve", "run the server in this terminal until Ctrl-C", () => import("./commands/server.ts")),
  command("worker", "run jobs here that a database shared by machines holds", () => import("./commands/worker.ts")),
  command(
    "migrate",
    "move the jobs of the folder to the database that LONGHAUL_STORE names",
    () => import("./commands/migrate.ts"),
  ),
  group("server", "show, stop or restart the server", [
    command("status", "show the server", () => import("./commands/server.ts")),
    command("stop", "stop the server; running commands go on", () => import("./commands/server.ts")),
    command(
      "restart",
      "stop the server and start a new one; running commands go on",
      () => import("./commands/server.ts"),
    ),
  ]),
  group("service", "let the server start with the machine", [
    command("install", "start the server at login or boot, and keep it running", () => import("./commands/service.ts")),
    command("remove", "undo it; running commands go on", () => import("./commands/service.ts")),
    command("status", "show whether it is installed, enabled and running", () => import("./commands/service.ts")),
  ]),
  group("token", "make, list or revoke tokens for HTTP and MCP over HTTP", [
    command("create", "make a token; it is shown only once", () => import("./commands/token.ts")),
    command("list", "list tokens, without their secrets", () => import("./commands/token.ts")),
    command("revoke", "revoke a token, by its name or id", () => import("./commands/token.ts")),
  ]),
  command("open", "open the dashboard in a browser, logged in", () => import("./commands/open.ts")),
  command("doctor", "find out what is wrong with this installation", () => import("./commands/doctor.ts")),
  command("completions", "print completions for a shell", () => import("./commands/completions.ts")),
  command("version", "print the version", () => import("./commands/version.ts")),
  alias("list", "ps", "list jobs, as ps does", () => import("./commands/ps.ts")),
  alias("tail", "logs", "follow a job's last lines of output, as logs -f does", () => import("./commands/logs.ts"), {
    follow: true,
    tail: 10,
  }),
  alias("inspect", "show", "show one job as JSON", () => import("./commands/show.ts"), { json: true }),
  alias("watch", "ps", "keep the list of jobs on the screen, as ps -w does", () => import("./commands/ps.ts"), {
    watch: true,
  }),
  alias("kill", "cancel", "cancel jobs, as cancel does", () => import("./commands/job.ts")),
  {
    ...command("complete", "complete the last word", () => import("./commands/completions.ts")),
    isHidden: true,
  },
];

function command<Name extends string>(
  name: Name,
  summary: string,
  loadFile: () => Promise<Readonly<Record<Name, CliCommand>>>,
): CommandEntry {
  return { name, summary, load: async () => (await loadFile())[name] };
}

function group(name: string, summary: string, children: readonly CommandEntry[]): CommandEntry {
  return { name, summary, children };
}

/** Another name for a command, with options that it is given beforehand. */
function alias<Target extends string>(
  name: string,
  target: Target,
  summary: string,
  loadFile: () => Promise<Readonly<Record<Target, CliCommand>>>,
  presets: object = {},
): CommandEntry {
  const load = async (): Promise<CliCommand> => {
    const { describe, run } = (await loadFile())[target];
    return { describe, run: (cli, options, words) => run(cli, { ...presets, ...options }, words) };
  };
  return { name, summary, aliasOf: target, load };
}

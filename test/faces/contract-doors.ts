import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import type { Door, Told, ToldJob, Verb } from "./contract.ts";
import { openTransport } from "./mcp/official-client.ts";
import { fencedIn, textOf } from "./mcp/reply-text.ts";
import type { TestServer } from "./mcp/server-process.ts";

type Input = Readonly<Record<string, unknown>>;
type Reply = Record<string, unknown>;

/** Drops what is not given. */
const given = (fields: Reply): Reply =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** A reply as all doors tell it: a job alone is a list of one. */
function toTold(reply: Reply): Told {
  const toJob = (job: Reply): ToldJob => ({
    id: String(job["job_id"] ?? job["id"]),
    state: String(job["status"] ?? job["state"]),
    ...given({ exit_code: job["exit_code"] }),
  });
  const { jobs } = reply;
  if (Array.isArray(jobs)) return { ...reply, jobs: jobs.map(toJob) };
  return "state" in reply || "status" in reply ? { ...reply, jobs: [toJob(reply)] } : reply;
}

/** The lines of a text that tell of a job: `exit code 3 after 1 s · job ID (name) failed`, or a row of a list. */
function jobLinesIn(text: string): ToldJob[] {
  const states = "queued|running|waiting|succeeded|failed|timed_out|cancelled";
  const told = new RegExp(`^(?:exit code (\\d+).*? · )?(?:job )?([0-9a-f-]{36})(?: \\(.*\\))? +(${states})\\b`, "gm");
  return [...text.matchAll(told)].map(([, exitCode, id = "", state = ""]) => ({
    id,
    state,
    exit_code: exitCode === undefined ? undefined : Number(exitCode),
  }));
}

function toToldJobs(verb: Verb, text: string): Told {
  return { jobs: jobLinesIn(text), ...(verb === "wait" ? { reached: !text.startsWith("Not yet") } : {}) };
}

/** The output is fenced without its last line end; what is known of it stands in the last line. */
function toToldOutput(text: string, fenced: string): Told {
  const [, notes = ""] = /\[(.*)\]$/.exec(text) ?? [];
  const [, matches] = /(\d+) lines? match/.exec(notes) ?? [];
  const note = notes.split("; ").find((part) => part.endsWith("dropped and not searched"));
  return {
    text: fenced === "" ? "" : `${fenced}\n`,
    is_complete: notes.endsWith("that is the end"),
    ...given({ matches: matches === undefined ? undefined : Number(matches), note }),
  };
}

export async function openMcpDoor(server: TestServer): Promise<Door & { close: () => Promise<void> }> {
  const client = new Client({ name: "contract", version: "0.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(openTransport(server, "http", server.token));
  const tools: Partial<Record<Verb, [tool: string, toArguments: (input: Input) => Reply]>> = {
    run: ["run_command", (input) => ({ ...input, wait_s: 0 })],
    get: ["job_get", (input) => ({ ...input })],
    list: ["job_list", (input) => ({ ...input })],
    wait: ["job_wait", ({ seconds, ...input }) => ({ ...input, timeout_s: seconds })],
    output: ["job_output", (input) => ({ ...input })],
    send: ["job_send", (input) => ({ ...input })],
    answer: ["job_send", (input) => ({ ...input, answer: { action: "accept" } })],
    cancel: ["job_cancel", (input) => ({ ...input })],
    retry: ["job_retry", (input) => ({ ...input })],
  };
  return {
    name: "mcp",
    close: () => client.close(),
    ask: async (verb, input) => {
      const [name, toArguments] = tools[verb] ?? [];
      if (name === undefined || toArguments === undefined) return undefined;
      const reply = await client.callTool({ name, arguments: toArguments(input) });
      const text = textOf(reply);
      // What does not fit a tool's own schema may be refused before the tool is called.
      const [, code] = /^(\w+): /.exec(text) ?? [];
      if (reply.isError === true && jobLinesIn(text).length === 0)
        return { error: code ?? (/invalid|validation/i.test(text) ? "invalid_input" : text) };
      return verb === "output" ? toToldOutput(text, fencedIn(reply)) : toToldJobs(verb, text);
    },
  };
}

export function openHttpDoor(server: TestServer): Door {
  const url = server.url.replace("/mcp", "");
  const job = ({ id }: Input): string => `/v1/jobs/${encodeURIComponent(String(id))}`;
  const query = (input: Input): string => {
    const pairs = Object.entries(input).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    );
    return `?${new URLSearchParams(pairs).toString()}`;
  };
  const requests: Record<Verb, (input: Input) => [path: string, body?: Reply]> = {
    run: ({ command, ...input }) => ["/v1/jobs", { kind: "shell", input: { command }, ...input }],
    get: (input) => [job(input)],
    list: (input) => [`/v1/jobs${query(input)}`],
    wait: ({ seconds, ...input }) => ["/v1/wait", { ...input, timeout_ms: Number(seconds) * 1_000 }],
    output: ({ id, ...input }) => [`${job({ id })}/output${query(input)}`],
    send: ({ id, ...input }) => [`${job({ id })}/send`, input],
    answer: (input) => [`${job(input)}/answer`, { answer: { action: "accept" } }],
    cancel: (input) => ["/v1/jobs/cancel", input],
    retry: (input) => ["/v1/jobs/retry", input],
    events: (input) => [`${job(input)}/events`],
    pause: ({ kind }) => [`/v1/kinds/${String(kind)}/pause`, {}],
    resume: ({ kind }) => [`/v1/kinds/${String(kind)}/resume`, {}],
    prune: () => ["/v1/prune", {}],
    status: () => ["/v1/status"],
  };
  return {
    name: "http",
    ask: async (verb, input) => {
      const [path, body] = requests[verb](input);
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const reply = (await response.json()) as Reply;
      if (!response.ok) return { error: String(reply["code"]) };
      if (verb === "events") return { types: (reply["events"] as { type: string }[]).map(({ type }) => type) };
      return verb === "status" ? reply : toTold(reply);
    },
  };
}

export function openCliDoor(home: string): Door {
  const option = (name: string, value: unknown): string[] =>
    typeof value === "string" || typeof value === "number" ? [`--${name}`, String(value)] : [];
  const ids = ({ ids: wanted }: Input): string[] => wanted as string[];
  const words: Record<Verb, (input: Input) => string[]> = {
    run: ({ command, name }) => ["run", "--json", "-d", ...option("name", name), "--", String(command)],
    get: ({ id }) => ["show", "--json", String(id)],
    list: ({ name, state }) => [
      "ps",
      "--json",
      "-a",
      ...option("name", name),
      ...option("state", (state as string[]).join(",")),
    ],
    wait: (input) => [
      "wait",
      "--json",
      ...option("until", input["pattern"]),
      ...option("timeout", `${Number(input["seconds"]) * 1_000}ms`),
      ...ids(input),
    ],
    output: ({ id, from, tail, grep }) => [
      "logs",
      "--json",
      ...option("from", from),
      ...option("tail", tail),
      ...option("grep", grep),
      String(id),
    ],
    send: ({ id, text }) => ["send", "--json", String(id), String(text)],
    answer: ({ id }) => ["answer", "--json", String(id)],
    cancel: (input) => ["cancel", "--json", ...option("reason", input["reason"]), ...ids(input)],
    retry: (input) => ["retry", "--json", ...ids(input)],
    events: ({ id }) => ["events", "--json", String(id)],
    pause: ({ kind }) => ["pause", "--json", String(kind)],
    resume: ({ kind }) => ["resume", "--json", String(kind)],
    prune: () => ["prune", "--json"],
    status: () => ["server", "status", "--json"],
  };
  return {
    name: "cli",
    ask: async (verb, input) => {
      const { stdout, stderr } = await runCli(home, words[verb](input));
      if (stdout === "") return { error: (JSON.parse(stderr) as { error: { code: string } }).error.code };
      if (verb === "events") {
        return {
          types: stdout
            .trim()
            .split("\n")
            .map((line) => (JSON.parse(line) as { type: string }).type),
        };
      }
      const reply = JSON.parse(stdout) as Reply;
      return verb === "status" ? reply : toTold(reply);
    },
  };
}

function runCli(home: string, words: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [resolve("dist/server/main.js"), ...words], {
    env: { ...process.env, LONGHAUL_HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((done) => {
    child.once("close", () => done({ stdout, stderr }));
  });
}

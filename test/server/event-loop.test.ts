import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient, type Client } from "../../src/faces/door/local-client.ts";
import { findPaths } from "../../src/config/paths.ts";
import { operations } from "../../src/operations/registry.ts";
import { until } from "../until.ts";
import { largestInput } from "./largest-input.ts";

const maxMs = 50;
/** What is loaded, compiled or collected once may take longer once. */
const tries = 5;

const home = mkdtempSync(join(tmpdir(), "longhaul-loop-"));
const { socket, token: tokenFile } = findPaths({ LONGHAUL_HOME: home });
const ids: Record<string, string> = {};
const idOf = (name: string): string => ids[name] ?? "";
let server: ChildProcess;
let client: Client;
let url = "";
let token = "";

/** The longest time that the server's event loop stood still since it was last asked. */
async function askLongest(): Promise<number> {
  const answered = once(server, "message");
  server.send("longest?");
  return Number((await answered)[0]);
}

/** The shortest of a few tries, in milliseconds; the first that is short enough will do. */
async function stillness(act: () => Promise<unknown>): Promise<number> {
  let shortest = Infinity;
  for (let count = 0; count < tries && shortest > maxMs; count++) {
    await askLongest();
    await act().catch(() => undefined);
    shortest = Math.min(shortest, await askLongest());
  }
  return shortest;
}

async function post(path: string, body: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const response = await fetch(`${url}${path}`, { method: "POST", headers, body });
  return response.text();
}

const get = async (path: string): Promise<string> =>
  (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}`, accept: "application/json" } })).text();

beforeAll(async () => {
  writeFileSync(join(home, "config.json"), JSON.stringify({ shell: { allow: ["^(\\w+\\s?)+$", ""], concurrency: 4 } }));
  const watcher = resolve(".build/test/fixtures/watch-event-loop.js");
  server = fork(resolve("dist/server/main.js"), ["serve", "--port", "0"], {
    execArgv: ["--import", watcher],
    env: { ...process.env, LONGHAUL_HOME: home },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  client = createClient(socket);
  await until(async () => (await client.call("server_status", {}).catch(() => undefined)) !== undefined, {
    timeoutMs: 30_000,
  });
  ({ url = "" } = await client.call("server_status", {}));
  token = readFileSync(tokenFile, "utf8").trim();
  const outputs = {
    letters: "head -c 3000000 /dev/zero | tr '\\0' a",
    lines: "yes y | head -c 1000000",
    words: "for i in $(seq 20000); do echo line $i of the output with some words in it; echo err $i >&2; done",
    bytes: "head -c 2000000 /dev/urandom",
    escapes: "yes $'\\e]52;c;aGk=\\a\\x9b31m`' | head -c 3000000",
  };
  for (const [name, command] of Object.entries(outputs)) {
    ids[name] = (await client.call("run_command", { command, name })).id;
  }
  await client.call("job_wait", { ids: Object.values(ids), timeout_ms: 50_000 });
  await client.call("kind_pause", { kind: "shell" });
  const jobs = Array.from({ length: 100 }, (_, index) => ({
    kind: "shell",
    input: { command: `echo ${"word ".repeat(50)}${index}` },
    tags: ["many"],
    batch: "many",
  }));
  for (let round = 0; round < 20; round++) await client.call("job_submit", { jobs });
}, 120_000);

afterAll(async () => {
  const ended = once(server, "exit");
  server.kill();
  await ended;
  rmSync(home, { recursive: true, force: true });
});

const slow = "(a?){250}a{250}[b-d]";
const many = Array.from({ length: 1_000 }, (_, index) => `job ${index}`);
const query = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();

/** Each by its name: what is done, and what comes of it is of no account. */
const acts: [string, () => Promise<unknown>][] = [
  ...operations.flatMap(({ name, input }): [string, () => Promise<unknown>][] => {
    return [
      [
        `${name} with all fields as long as they may be`,
        () => client.start(name, Object(withoutWaiting(largestInput(input)))),
      ],
      [
        `${name} with fields of quotes and escapes`,
        () => client.start(name, Object(withoutWaiting(largestInput(input, '"\u001b\\')))),
      ],
      [`${name} with a name of four megabytes`, () => client.start(name, { id: "x".repeat(3_900_000) })],
      [
        `${name} with many unknown fields`,
        () => client.start(name, Object.fromEntries(many.map((key) => [key.repeat(300), 1]))),
      ],
      [`${name} with a list of many`, () => client.start(name, { ids: many, jobs: many, tags: many, input: many })],
    ];
  }),
  ...["letters", "lines", "words", "bytes", "escapes"].flatMap((job): [string, () => Promise<unknown>][] => [
    ...[slow, "a", "[a-z]+\\d$", "."].map((grep): [string, () => Promise<unknown>] => [
      `a search for ${grep} in ${job}`,
      () => client.call("job_output", { id: idOf(job), grep, limit: 1_000_000 }, AbortSignal.timeout(2_000)),
    ]),
    [
      `a search in the last of ${job}`,
      () => client.call("job_output", { id: idOf(job), grep: ".", tail: 100_000, limit: 1_000_000 }),
    ],
    [`the end of ${job}`, () => client.call("job_output", { id: idOf(job), tail: 100_000, limit: 1_000_000 })],
    [`all of ${job}`, () => client.call("job_output", { id: idOf(job), limit: 1_000_000 })],
    [
      `all of ${job} in base64`,
      () => client.call("job_output", { id: idOf(job), limit: 1_000_000, encoding: "base64" }),
    ],
    [`${job} over HTTP`, () => get(`/v1/jobs/${ids[job]}/output?${query({ limit: "1000000" })}`)],
    [
      `a wait for a pattern in ${job}`,
      () => client.call("job_wait", { ids: [idOf(job)], pattern: slow, timeout_ms: 100 }),
    ],
    [
      `${job} for a model`,
      () =>
        post(
          "/mcp",
          JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: "job_output", arguments: { id: idOf(job), limit: 60_000 } },
          }),
        ),
    ],
  ]),
  ["a list of a thousand jobs", () => client.call("job_list", { limit: 1_000 })],
  [
    "a list with every filter",
    () =>
      client.call("job_list", {
        limit: 1_000,
        tag: "many",
        batch: "many",
        text: "word echo",
        kind: "shell",
        state: ["queued"],
      }),
  ],
  ["a list by a long text", () => client.call("job_list", { text: "word ".repeat(20_000) })],
  ["a list by fifty tags", () => client.call("job_list", { tag: Array.from({ length: 50 }, () => "many") })],
  ["a count by a long filter text", () => client.call("job_count", { q: "word ".repeat(399) })],
  ["a dry run for all", () => client.call("job_cancel", { filter: { tag: "many" }, dry_run: true })],
  ["figures of a day", () => client.call("job_series", { last: "24h" })],
  ["failures in groups", () => client.call("job_failures", {})],
  ["a wait for a thousand jobs", () => client.call("job_wait", { ids: many, timeout_ms: 0 })],
  ["a command that a rule backtracks on", () => client.call("run_command", { command: `${"a".repeat(60)}!` })],
  ["a ready pattern that is slow", () => client.call("run_command", { command: "true", ready: { pattern: slow } })],
  ["an input full of the word key", () => client.call("run_command", { command: "cat", stdin: "key".repeat(300_000) })],
  ["a body of empty lists", () => post("/v1/jobs", `[${"[],".repeat(1_300_000)}[]]`)],
  ["a body of numbers", () => post("/v1/jobs", `{"kind":"shell","input":[${"0,".repeat(1_900_000)}0]}`)],
  [
    "a body of names",
    () =>
      post(
        "/v1/jobs",
        `{${many.flatMap((name) => many.slice(0, 100).map((other) => `"${name}${other}":1`)).join(",")}}`,
      ),
  ],
  ["a message of empty lists", () => post("/mcp", `[${"[],".repeat(1_300_000)}[]]`)],
  [
    "a message with long arguments",
    () =>
      post(
        "/mcp",
        JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "run_command", arguments: { command: "x".repeat(3_900_000) } },
        }),
      ),
  ],
  [
    "a batch of many messages",
    () => post("/mcp", JSON.stringify(many.map((id) => ({ jsonrpc: "2.0", id, method: "ping" })))),
  ],
  ["the cancelling of all", () => client.call("job_cancel", { filter: { tag: "many" } })],
];

function withoutWaiting(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  return {
    ...input,
    ...("timeout_ms" in input ? { timeout_ms: 0 } : {}),
    ...("wait_ms" in input ? { wait_ms: 0 } : {}),
  };
}

describe("the server's event loop is not stopped by", () => {
  it.each(acts)("%s", async (_name, act) => {
    expect(await stillness(act)).toBeLessThan(maxMs);
  });
});

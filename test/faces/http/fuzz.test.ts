import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { createRoutes } from "../../../src/faces/http/routes.ts";
import { seededRandom } from "../../seeded-random.ts";
import { startServer } from "../mcp/server-process.ts";
import { operations } from "../../../src/operations/registry.ts";

const routes = createRoutes(operations);

const batches = 1_000;
const perBatch = 20;
const atOnce = 16;

const random = seededRandom(20_261_116);
const below = (limit: number): number => Math.floor(random() * limit);
const pick = <Choice>(choices: readonly Choice[]): Choice => choices[below(choices.length)] as Choice;
const scraps = [
  "",
  "x",
  "%",
  "%00",
  "%ff",
  "%2e%2e",
  "..",
  "//",
  "\\",
  "null",
  "__proto__",
  "constructor",
  "0",
  "-1",
  "1e999",
  "🦀",
  "a".repeat(300),
  "?",
  "&=&",
  "{}",
  "[]",
  "${x}",
  "' OR 1=1 --",
];
const noise = (): string => Array.from({ length: 1 + below(4) }, () => pick(scraps)).join("");

/** A value that is no good, several levels deep. */
function badValue(depth = 0): unknown {
  const leaf = [null, true, -1, 1e308, noise(), noise()];
  if (depth > 3 || random() < 0.6) return pick(leaf);
  return random() < 0.5
    ? Array.from({ length: below(4) }, () => badValue(depth + 1))
    : Object.fromEntries(
        Array.from({ length: below(4) }, () => [
          pick(["kind", "input", "jobs", "ids", "filter", "id", noise()]),
          badValue(depth + 1),
        ]),
      );
}

function badBody(): string {
  return pick([
    () => JSON.stringify(badValue()),
    () => JSON.stringify({ kind: "shell", input: badValue() }).slice(0, -1 - below(5)),
    () => JSON.stringify({ kind: noise(), input: {} }),
    () => JSON.stringify({ jobs: [{ kind: "shell", input: { command: "true" } }, badValue()] }),
    () => noise(),
    () => "[".repeat(5_000),
  ])();
}

/** A request that HTTP can read, and that means nothing. */
function badRequest(token: string): string {
  const route = pick(routes);
  const path =
    random() < 0.2 ? `/${noise()}` : route.path.replace(/\{\w+\}/g, () => encodeURIComponent(noise()) || "x");
  const query =
    random() < 0.5
      ? ""
      : `?${pick(["limit", "state", "after", "from", "grep", "tail", "created_from", noise()])}=${encodeURIComponent(noise())}&${noise()}`;
  // A wait that works would only take time, and a check of models needs no body: it would rightly say that there are none (502).
  const method = /wait|agents\/check/.test(path)
    ? "PATCH"
    : pick([route.method, route.method, route.method, "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"]);
  const body = method === "GET" || method === "HEAD" ? "" : badBody();
  const headers = [
    "host: 127.0.0.1",
    pick([
      `authorization: Bearer ${token}`,
      `authorization: Bearer ${token}`,
      `authorization: ${noise()}`,
      "x-nothing: 1",
    ]),
    pick([
      "content-type: application/json",
      "content-type: application/json",
      "content-type: text/html",
      "x-nothing: 1",
    ]),
    pick([
      "accept: text/plain",
      "accept: */*",
      "range: bytes=9-1",
      "range: bytes=-",
      "last-event-id: x",
      `idempotency-key: ${"k".repeat(below(400))}`,
    ]),
  ].map((header) => header.replace(/[^\x20-\x7e]/g, "?"));
  const target = `${path}${query}`.replace(/[^\x21-\x7e]/g, "?").replace(/#/g, "");
  return `${method} ${target} HTTP/1.1\r\n${headers.join("\r\n")}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** What is no HTTP at all; the connection is over after it. */
const garbage = [
  "GARBAGE\r\n\r\n",
  "GET\r\n\r\n",
  "GET / HTTP/9.9\r\n\r\n",
  "GET /healthz HTTP/1.1\r\n\r\n",
  `GET /${"a".repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: x\r\n${"h: v\r\n".repeat(4_000)}\r\n`,
  "POST /v1/jobs HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n",
  "POST /v1/jobs HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcde",
  "POST /v1/jobs HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
  "GET http://[ HTTP/1.1\r\nhost: [[\r\n\r\n",
  "GET /healthz HTTP/1.1\r\nhost: a b c\r\n\r\n",
  "\u0000\u0001\u0002\u0003",
  "POST /v1/jobs HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{",
];

const goodbye = "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n";

/** Sends everything over one connection and answers with the statuses that came back. */
function send(port: number, text: string, isOver: boolean): Promise<number[]> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.setTimeout(15_000, () => socket.destroy());
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1")));
    socket.on("close", () => resolve([...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))));
    // Half a connection is none to Node: what it has not answered by then it gives up.
    if (isOver) socket.end(text);
    else socket.write(text);
  });
}

it("20,000 malformed requests leave the server up and the store consistent", async () => {
  const home = await mkdtemp(join(tmpdir(), "longhaul-http-"));
  const server = await startServer(home);
  onTestFinished(async () => {
    await server.kill("SIGTERM");
    await rm(home, { recursive: true, force: true });
  });
  const { token } = server;
  const url = server.url.replace("/mcp", "");
  const port = Number(new URL(url).port);
  const body = '{"kind":"shell","input":{"command":"true"}}';
  const good = `POST /v1/jobs HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const statuses = new Map<number, number>();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let batch = next++; batch < batches; batch = next++) {
      const requests = Array.from({ length: perBatch - 1 }, () => badRequest(token));
      const sent = [
        ...(batch % 100 === 0 ? [await send(port, `${good}${goodbye}`, false)] : []),
        await send(port, `${requests.join("")}${goodbye}`, false),
        await send(port, pick(garbage), true),
      ];
      for (const status of sent.flat()) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));

  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const status = (await (await fetch(`${url}/v1/status`, { headers })).json()) as { jobs: Record<string, number> };
  expect(Object.values(status.jobs).reduce((sum, count) => sum + count, 0)).toBe(batches / 100);
  const answered = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  expect(answered).toBeGreaterThan(batches * (perBatch - 1));
  expect(statuses.get(201)).toBe(batches / 100);
  expect([...statuses.keys()].filter((code) => code >= 500)).toEqual([]);
  await server.kill("SIGTERM");
  const database = new DatabaseSync(join(home, "longhaul.db"));
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  database.close();
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../../until.ts";
import { startServer, type ServerProcess } from "../mcp/server-process.ts";
import { readEvents, textOf, type SentEvent } from "./event-reader.ts";

const total = 1_500;
/** A burst of lines every so often, for long enough to lose the server twice. */
const command = `for i in $(seq 1 ${total}); do echo "line $i"; if [ $((i % 25)) = 0 ]; then sleep 0.05; fi; done`;

/** A reader that comes back, wherever the server is by then, with the id of the last event that it has. */
async function readOn(
  address: () => string,
  token: string,
  path: string,
): Promise<{ events: SentEvent[]; breaks: number }> {
  const events: SentEvent[] = [];
  for (let breaks = 0; ; breaks++) {
    const lastEventId = events.at(-1)?.id;
    try {
      const reader = await readEvents(`${address()}${path}`, { token, lastEventId });
      const isEnded = await reader.ended;
      events.push(...reader.events);
      const last = events.at(-1)?.type;
      if (isEnded && (last === "end" || last === "job-finished")) return { events, breaks };
    } catch {
      // Nobody listens there at the moment.
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

it("readers that reconnect after kill -9 of the server miss nothing and get nothing twice", async () => {
  const home = await mkdtemp(join(tmpdir(), "longhaul-http-"));
  let server: ServerProcess = await startServer(home);
  onTestFinished(async () => {
    await server.kill("SIGTERM");
    await rm(home, { recursive: true, force: true });
  });
  const address = (): string => server.url.replace("/mcp", "");
  const { token } = server;
  const submitted = await fetch(`${address()}/v1/jobs`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "shell", input: { command } }),
  });
  const { id } = (await submitted.json()) as { id: string };
  const outputs = Array.from({ length: 8 }, () => readOn(address, token, `/v1/jobs/${id}/output`));
  const history = readOn(address, token, `/v1/jobs/${id}/events`);
  for (const line of [200, 700]) {
    await until(async () => {
      const reply = await fetch(`${address()}/v1/jobs/${id}/output?grep=^line ${line}$`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return ((await reply.json()) as { matches: number }).matches === 1;
    });
    await server.kill("SIGKILL");
    server = await startServer(home);
  }
  const expected = Array.from({ length: total }, (_, index) => `line ${index + 1}\n`).join("");
  for (const { events, breaks } of await Promise.all(outputs)) {
    expect(textOf(events)).toBe(expected);
    expect(breaks).toBeGreaterThanOrEqual(2);
  }
  const { events } = await history;
  expect(events.map(({ id: number }) => Number(number))).toEqual(events.map((_, index) => index + 1));
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["attempt-adopted", "job-finished"]));
  expect(events.at(-1)?.data).toMatchObject({ status: "succeeded", attempt: 1 });
});

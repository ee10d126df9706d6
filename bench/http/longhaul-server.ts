import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { createAdmit } from "../../src/faces/door/admit.ts";
import { Door } from "../../src/faces/door/door.ts";
import { createGatekeeper } from "../../src/faces/door/gatekeeper.ts";
import { createHttpFace } from "../../src/faces/http/face.ts";
import { createMetrics } from "../../src/faces/http/metrics/metrics.ts";
import { defineKind, openEngine } from "../../src/index.ts";

/** The REST interface over an engine with two kinds: one that does nothing, and one that writes lines until it is cancelled. */
const [, , home = ""] = process.argv;
const noop = defineKind({
  name: "noop",
  onInterrupt: "restart",
  input: z.object({}),
  concurrency: 1_000,
  run: async () => ({}),
});
const talk = defineKind({
  name: "talk",
  onInterrupt: "fail",
  input: z.object({}),
  run: (_input, context) =>
    new Promise((_resolve, reject) => {
      let line = 0;
      const timer = setInterval(() => {
        const lines = Array.from({ length: 20 }, () => `line ${line++} of a job that has something to say\n`);
        context.output().write(lines.join(""));
      }, 50);
      context.signal.addEventListener("abort", () => {
        clearInterval(timer);
        reject(new Error("told to stop"));
      });
    }),
});
const engine = await openEngine({ home, kinds: [noop, talk] });
const facts = { version: "0.0.0", startedAt: Date.now(), home, url: undefined };
const metrics = createMetrics(engine);
const face = createHttpFace({ engine, server: facts, metrics });
const door = new Door({
  gatekeeper: createGatekeeper({ admit: createAdmit({ tokens: engine.tokens, localToken: "bench", barredKinds: [] }) }),
  entrances: [face],
  onFault: (error) => console.error(error),
  onAnswered: metrics.countRequest,
});
const server = createServer(door.listener);
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once("SIGTERM", () => {
  face.close();
  metrics.close();
  door.close();
  server.closeAllConnections();
  server.close();
  void engine.stop();
});

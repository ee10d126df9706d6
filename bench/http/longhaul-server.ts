import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { createAdmit } from "../../src/faces/access/admit.ts";
import { createGatekeeper } from "../../src/faces/access/gatekeeper.ts";
import { createHttpFace } from "../../src/faces/http/face.ts";
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
const face = createHttpFace({
  engine,
  server: { version: "0.0.0", startedAt: Date.now(), home, url: undefined },
  gatekeeper: createGatekeeper({ admit: createAdmit({ tokens: engine.tokens, localToken: "bench", barredKinds: [] }) }),
  onFault: (error) => console.error(error),
});
const server = createServer(face.listener);
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once("SIGTERM", () => {
  face.close();
  server.closeAllConnections();
  server.close();
  void engine.stop();
});

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { createAdmit } from "../../src/faces/door/admit.ts";
import { Door } from "../../src/faces/door/door.ts";
import { createGatekeeper } from "../../src/faces/door/gatekeeper.ts";
import { createHttpFace } from "../../src/faces/http/face.ts";
import { createMetrics } from "../../src/faces/http/metrics/metrics.ts";
import { createRunpodEntrance } from "../../src/faces/profiles/runpod/v2-entrance.ts";
import { defineKind, openEngine } from "../../src/index.ts";
import type { LocalEndpoint } from "../../src/job/endpoint.ts";
import { EndpointDirectory } from "../../src/kinds/endpoint/directory.ts";
import { createEndpointKind } from "../../src/kinds/endpoint/endpoint.ts";
import { AccountReader } from "../../src/kinds/endpoint/runpod-account.ts";
import { createAddressRules } from "../../src/net/address/address-rules.ts";
import { createGuardedFetch } from "../../src/net/fetch/guarded-fetch.ts";
import { createRedactor } from "../../src/text/redact.ts";

/** The HTTP face over two kinds: one that does nothing, and endpoint jobs on a warm local endpoint that echoes. */
const [, , home = ""] = process.argv;
const noop = defineKind({
  name: "noop",
  onInterrupt: "restart",
  input: z.object({}),
  concurrency: 1_000,
  run: async () => ({}),
});
const echo: LocalEndpoint = {
  type: "local",
  argv: [process.execPath, fileURLToPath(new URL("./echo-handler.js", import.meta.url))],
  cwd: home,
  env: {},
  mode: "warm",
  concurrency: 16,
  timeoutMs: 600_000,
  keepMs: 300_000,
  idleTimeoutMs: undefined,
  inputSchema: undefined,
};
const env = { PATH: process.env["PATH"] ?? "" };
const compileSchema = () => () => undefined;
const accounts = new AccountReader(createGuardedFetch({ rules: createAddressRules(), userAgent: "bench" }), "");
const named = { echo };
const endpoints = new EndpointDirectory({ home, named, anyRunpod: undefined, env, fetch, accounts, compileSchema });
const kinds = [noop, createEndpointKind({ directory: endpoints, redactor: createRedactor([]) })];
const engine = await openEngine({ home, kinds });
const facts = { version: "0.0.0", startedAt: Date.now(), home, url: undefined, endpoints };
const metrics = createMetrics(engine);
const face = createHttpFace({ engine, server: facts, metrics });
const door = new Door({
  gatekeeper: createGatekeeper({ admit: createAdmit({ tokens: engine.tokens, localToken: "bench", barredKinds: [] }) }),
  entrances: [createRunpodEntrance({ engine, server: facts }), face],
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
  void engine.stop().then(() => endpoints.close());
});

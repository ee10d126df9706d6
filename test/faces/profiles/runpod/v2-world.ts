import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type ServerProcess } from "../../mcp/server-process.ts";

/** Does what its input says. */
const script = `
import { createInterface } from "node:readline";
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const say = (id, what) => process.stdout.write(JSON.stringify({ id, ...what }) + "\\n");
const work = async ({ id, input }) => {
  for (const chunk of input.chunks ?? []) { say(id, { stream: chunk }); await wait(input.pause ?? 0); }
  if (input.do === "stay") { say(id, { progress: "staying" }); await wait(600_000); }
  if (input.do === "fail") say(id, { error: { type: "Bad" } });
  else say(id, { output: { echo: input } });
};
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.cancel) say(message.id, { error: "given up" });
  else void work(message);
}`;

export interface V2World {
  readonly home: string;
  /** Up to and without the endpoint. */
  readonly url: () => string;
  readonly token: () => string;
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A server in a process of its own with local endpoints: "local" takes one job at a time, "many" four, and "crowd" ends its jobs when there is a file "go". */
export async function openV2World(config: object = {}): Promise<V2World> {
  const home = mkdtempSync(join(tmpdir(), "longhaul-v2-"));
  const file = join(home, "handler.mjs");
  writeFileSync(file, script);
  const crowd = `while read -r line; do while [ ! -e go ]; do sleep 0.1; done; printf '{"output":"done"}\\n'; done`;
  const endpoints = {
    local: { type: "local", argv: [process.execPath, file], mode: "warm", concurrency: 1 },
    many: { type: "local", argv: [process.execPath, file], mode: "warm", concurrency: 4 },
    crowd: { type: "local", command: crowd, cwd: home, mode: "warm", concurrency: 8 },
  };
  writeFileSync(join(home, "config.json"), JSON.stringify({ server: { port: 0 }, endpoints, ...config }));
  let server: ServerProcess = await startServer(home);
  return {
    home,
    url: () => server.url.replace(/\/mcp$/, "/v2"),
    token: () => server.token,
    kill: (signal) => server.kill(signal),
    start: async () => {
      server = await startServer(home);
    },
    close: async () => {
      await server.kill("SIGTERM");
      rmSync(home, { recursive: true, force: true });
    },
  };
}

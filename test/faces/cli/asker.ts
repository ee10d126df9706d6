import { createServer } from "node:http";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { Engine } from "../../../src/engine/engine.ts";
import { listenToCalls } from "../door/call-listener.ts";
import { defineKind } from "../../../src/job/kind.ts";
import { openEngine } from "../../../src/server/open-engine.ts";
import { readVersion } from "../../../src/server/version.ts";
import { until } from "../../until.ts";
import type { Cli } from "./cli.ts";

/** Asks for what its input says and returns the answer. */
const asker = defineKind({
  name: "asker",
  input: z.object({ form: z.any() }),
  onInterrupt: "resume",
  run: async ({ form }, context) =>
    context.ask({ message: "Which one?", ...(form === null ? {} : { form: form as never }) }),
});

/** A server with a kind that asks: none that is built in does so yet. */
export async function serveAsker(cli: Cli): Promise<Engine> {
  const engine = await openEngine({ home: cli.home, kinds: [asker] });
  const facts = { version: readVersion(), startedAt: Date.now(), home: cli.home, url: undefined };
  const server = createServer(listenToCalls({ engine, server: facts }));
  server.listen(join(cli.home, "longhaul.sock"));
  onTestFinished(async () => {
    server.close();
    await engine.stop();
  });
  await until(() => server.listening);
  return engine;
}

export async function ask(engine: Engine, form: unknown): Promise<string> {
  const { id } = await engine.submit({ kind: "asker", input: { form } });
  await engine.wait(id, { until: "question" });
  return id;
}

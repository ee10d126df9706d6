import { createServer } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import type { Engine } from "../../../src/engine/engine.ts";
import { listenToCalls } from "../door/call-listener.ts";
import { defineKind } from "../../../src/job/kind.ts";
import { openEngine } from "../../../src/server/open-engine.ts";
import { readVersion } from "../../../src/server/version.ts";
import { until } from "../../until.ts";
import { makeCli, type Cli } from "./cli.ts";

/** Asks for what its input says and returns the answer. */
const asker = defineKind({
  name: "asker",
  input: z.object({ form: z.any() }),
  onInterrupt: "resume",
  run: async ({ form }, context) =>
    context.ask({ message: "Which one?", ...(form === null ? {} : { form: form as never }) }),
});

/** A server with a kind that asks: none that is built in does so yet. */
async function serveAsker(cli: Cli): Promise<Engine> {
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

async function ask(engine: Engine, form: unknown): Promise<string> {
  const { id } = await engine.submit({ kind: "asker", input: { form } });
  await engine.wait(id, { until: "question" });
  return id;
}

const form = {
  type: "object",
  properties: { name: { type: "string" }, count: { type: "integer" }, sure: { type: "boolean" } },
  required: ["name"],
};

it("longhaul answer answers a question with fields, read as the form wants them", async () => {
  const cli = makeCli();
  const engine = await serveAsker(cli);
  const id = await ask(engine, form);
  expect((await cli.run(["wait", id, "--until", "question"])).code).toBe(0);
  expect((await cli.run(["show", id])).stdout).toContain("Which one?");
  expect((await cli.run(["answer", id, "name=12", "count=3", "sure=yes"])).code).toBe(0);
  await engine.wait(id);
  expect(await engine.result(id)).toEqual({ action: "accept", content: { name: "12", count: 3, sure: true } });
});

it("longhaul answer answers with a text, or declines", async () => {
  const cli = makeCli();
  const engine = await serveAsker(cli);
  const [plain, declined] = [await ask(engine, null), await ask(engine, form)];
  expect(await cli.json(["answer", plain, "--text", "this one"])).toMatchObject({ id: plain });
  await cli.run(["answer", declined, "--decline"]);
  await engine.wait([plain, declined]);
  expect(await engine.result(plain)).toEqual({ action: "accept", content: { text: "this one" } });
  expect(await engine.result(declined)).toEqual({ action: "decline" });
});

it("longhaul answer refuses an answer that does not fit, and says which would", async () => {
  const cli = makeCli();
  const engine = await serveAsker(cli);
  const id = await ask(engine, form);
  for (const [words, reason] of [
    [[], "name=…"],
    [["count=3"], '"name" is required'],
    [["name=a", "count=many"], "whole number"],
    [["other", "name=a"], "other"],
    [["name=a", "--decline"], "only one of"],
  ] as const) {
    const { code, stderr } = await cli.run(["answer", id, ...words]);
    expect(stderr).toContain(reason);
    expect(code).toBe(2);
  }
  await engine.cancel(id);
});

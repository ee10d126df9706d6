import { expect, it } from "vitest";
import { ask, serveAsker } from "./asker.ts";
import { makeCli } from "./cli.ts";

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

it("longhaul answer takes a plain word for the answer where one thing is asked", async () => {
  const cli = makeCli();
  const engine = await serveAsker(cli);
  const yesNo = await ask(engine, { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] });
  const free = await ask(engine, null);
  expect((await cli.run(["answer", yesNo, "yes"])).code).toBe(0);
  expect((await cli.run(["answer", free, "the", "second", "one"])).code).toBe(0);
  await engine.wait([yesNo, free]);
  expect(await engine.result(yesNo)).toEqual({ action: "accept", content: { sure: true } });
  expect(await engine.result(free)).toEqual({ action: "accept", content: { text: "the second one" } });
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

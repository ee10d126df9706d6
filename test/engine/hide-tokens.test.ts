import { expect, it } from "vitest";
import { createAttemptTokens } from "../../src/engine/attempt-tokens.ts";
import { createIdSource } from "../../src/job/id.ts";
import { present } from "../present.ts";
import { Puppet } from "./puppet.ts";
import { until } from "../until.ts";
import { useWorld } from "./world.ts";

const world = useWorld();

it("a command's token is starred out of its output, wherever a reader cuts it, and all else stays in its place", async () => {
  const puppet = new Puppet();
  const { engine, id, attempt } = await puppet.start(await world().open([puppet.kind], { attemptSecret: "s" }));
  const token = present(attempt.context.token);
  const text = `été a=${token} lhj_no lhj\n${token}x\nthe end, al`;
  attempt.context.output().write(text);
  const hidden = Buffer.from(text.replaceAll(token, "lhj_".padEnd(token.length, "*")));
  await until(async () => (await engine.readOutput(id)).bytes.length === hidden.length);
  expect(Buffer.from((await engine.readOutput(id)).bytes).equals(hidden)).toBe(true);
  for (const limit of [1, 7, 50, 97]) {
    const parts: Uint8Array[] = [];
    for (let from = 0; from < hidden.length; from += limit) {
      parts.push((await engine.readOutput(id, { from, limit })).bytes);
    }
    expect(Buffer.concat(parts).toString()).toBe(hidden.toString());
  }
});

it("a token of any attempt is as long as is looked for", () => {
  const issue = present(createAttemptTokens("s").issue);
  expect(issue(createIdSource(Date.now)(), 999_999_999)).toHaveLength(90);
});

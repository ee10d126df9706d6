import { expect, test } from "vitest";
import { z } from "zod";
import { defineKind } from "../../src/index.ts";
import { refusal, useWorld } from "../engine/world.ts";
import { call } from "./call.ts";

const world = useWorld();

interface Turns {
  readonly turns: { readonly type: string; readonly text?: string; readonly tool?: string }[];
  readonly next: string;
  readonly is_complete: boolean;
}

/** Writes what the agents write, without a model. */
const agent = defineKind({
  name: "agent",
  input: z.object({}),
  onInterrupt: "fail",
  run: async (_input, { output }) => {
    const [text, activity] = [output("stdout"), output("activity")];
    const tell = (facts: object): void =>
      activity.write(`${JSON.stringify({ at: "2026-03-01T00:00:00.000Z", ...facts })}\n`);
    text.write("I shall look.\n");
    tell({ type: "tool_start", after: 14, tool: "grep", arguments: "src" });
    tell({ type: "tool_done", after: 14, tool: "grep", ok: true, result: "3 lines" });
    text.write("Done: ");
    text.write("it is there.\n");
    tell({ type: "step", after: 33, pieces: 2 });
    return {};
  },
});

test("an agent's turns are read in order, with what it wrote before each, and in parts without a gap", async () => {
  const engine = await world().open([agent]);
  const { id } = await engine.submit({ kind: "agent", input: {}, owner: "ada" });
  await engine.wait(id);
  const whole = (await call(engine, "agent_turns", { id })) as Turns;
  expect(whole.turns).toMatchObject([
    { type: "tool_start", text: "I shall look.", tool: "grep", arguments: "src" },
    { type: "tool_done", result: "3 lines" },
    { type: "step", text: "Done: it is there." },
  ]);
  expect(whole).toMatchObject({ is_complete: true, turns: { length: 3 } });
  const parts: Turns["turns"] = [];
  let part: Turns | undefined;
  do {
    part = (await call(engine, "agent_turns", {
      id,
      limit: 1,
      ...(part === undefined ? {} : { cursor: part.next }),
    })) as Turns;
    parts.push(...part.turns);
  } while (!part.is_complete);
  expect(parts).toEqual(whole.turns);
  await expect(call(engine, "agent_turns", { id }, { owner: "bob" })).rejects.toMatchObject(refusal("not_found"));
  await expect(call(engine, "agent_turns", { id, cursor: "1" })).rejects.toMatchObject(refusal("invalid_input"));
});

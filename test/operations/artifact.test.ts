import { expect, test } from "vitest";
import { defineKind } from "../../src/index.ts";
import { z } from "zod";
import { jobArtifact } from "../../src/operations/artifact.ts";
import { refusal, useWorld } from "../engine/world.ts";
import { server } from "./call.ts";

const world = useWorld();
const maker = defineKind({
  name: "maker",
  input: z.object({ name: z.string() }),
  onInterrupt: "fail",
  run: async ({ name }, { artifacts }) => {
    await artifacts.save("notes.txt", "old");
    await artifacts.save("notes.txt", "hello, reader");
    await artifacts.save(name, new Uint8Array([1, 2, 3]));
    return { listed: (await artifacts.list()).length, read: Buffer.from(await artifacts.read("notes.txt")).toString() };
  },
});

test("a job's files are listed and read, in parts, by its owner alone", async () => {
  const engine = await world().open([maker]);
  const job = await engine.submit({ kind: "maker", input: { name: "picture.png" }, owner: "ada" });
  await engine.wait(job.id);
  expect(await engine.result(job.id)).toEqual({ listed: 2, read: "hello, reader" });
  const call = (input: object, owner = "ada"): Promise<unknown> =>
    jobArtifact.call({ engine, actor: { owner }, server }, { id: job.id, ...input });
  expect(await call({})).toMatchObject({
    artifacts: [
      { name: "notes.txt", media_type: "text/plain", bytes: 13 },
      { name: "picture.png", media_type: "image/png", bytes: 3 },
    ],
  });
  expect(await call({ name: "notes.txt", limit: 5 })).toMatchObject({
    content: Buffer.from("hello").toString("base64"),
    next: 5,
  });
  const { next, ...end } = (await call({ name: "notes.txt", from: 7 })) as { next?: number; content: string };
  expect(end).toMatchObject({ content: Buffer.from("reader").toString("base64") });
  expect(next).toBeUndefined();
  await expect(call({}, "eve")).rejects.toMatchObject(refusal("not_found"));
});

test.each(["../../longhaul.db", "/etc/passwd", ".notes.txt", "-notes.txt", "a/b.txt", "my notes.txt", "..png"])(
  "%s is no name of a file, for reading or for saving",
  async (name) => {
    const engine = await world().open([maker]);
    const job = await engine.submit({ kind: "maker", input: { name }, limits: { attempts: 1 } });
    await engine.wait(job.id);
    expect((await engine.get(job.id)).state).toMatchObject({ status: "failed", failure: { code: "invalid_input" } });
    const read = jobArtifact.call({ engine, actor: {}, server }, { id: job.id, name });
    await expect(read).rejects.toMatchObject(refusal("invalid_input"));
  },
);

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defineKind, openEngine, type Engine } from "../../src/index.ts";
import { readStore } from "../../src/config/store.ts";
import { openDatabase } from "../../src/store/postgres/database/open-database.ts";
import { moves, notMoved } from "../../src/store/moving/moves.ts";
import { moveStore, type MoveReport } from "../../src/store/moving/move-store.ts";
import { connect } from "../../src/store/sqlite/driver.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { createDatabase, lacksPostgres } from "../postgres/database.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { useEach } from "../use-each.ts";
import { z } from "zod";

const work = defineKind({
  name: "work",
  input: z.object({ text: z.string() }),
  onInterrupt: "restart",
  run: async ({ text }, { output, artifacts, ask }) => {
    output("stdout").write(`${text}\n`.repeat(20_000));
    await artifacts.save("made.txt", text);
    if (text === "ask") await ask({ message: "Go on?" }, "key");
    return { text };
  },
});

/** What is asked of both engines, to be the same. */
async function describeAll(engine: Engine, ids: readonly string[]): Promise<unknown[]> {
  return Promise.all(
    ids.map(async (id) => {
      const { state, ...job } = await engine.get(id);
      const { bytes, ...slice } = await engine.readOutput(id, { stream: "stdout", limit: 1_000_000 });
      return {
        job,
        state: { ...state, lease: undefined },
        payload: await engine.payload(id),
        events: await engine.events(id),
        questions: await engine.questions(id),
        artifacts: await engine.artifacts(id),
        output: { ...slice, text: Buffer.from(bytes).toString() },
      };
    }),
  );
}

describe.skipIf(lacksPostgres)("moving a store from its folder to Postgres", () => {
  const database = useEach(createDatabase, ({ remove }) => remove());
  const move = (home: string): Promise<MoveReport> =>
    moveStore({
      file: join(home, "longhaul.db"),
      machine: "here",
      url: database().url,
      schema: "longhaul",
      onProgress: () => undefined,
    });
  const openThere = async (home: string): Promise<Engine> => {
    const postgres = readStore(undefined, { LONGHAUL_STORE: database().url });
    return openEngine({ home, kinds: [work], ...(postgres === undefined ? {} : { postgres }) });
  };

  it("brings everything that is known of jobs, runs what was queued, and leaves no database to be opened by mistake", async () => {
    const home = makeTempFolder();
    const here = await openEngine({ home, kinds: [work] });
    const done = await here.submit({ kind: "work", input: { text: "done" }, tags: ["a", "b"], batch: "batch" });
    await here.wait(done.id);
    await here.pause("work");
    const queued = await here.submit({ kind: "work", input: { text: "queued" }, idempotencyKey: "key" });
    const after = await here.submit({ kind: "work", input: { text: "after" }, dependsOn: [queued.id] });
    const delayed = await here.submit({ kind: "work", input: { text: "delayed" }, delayMs: 3_600_000 });
    await here.tokens.create({ name: "mine", scope: "run" });
    const ids = [done.id, queued.id, after.id, delayed.id];
    const before = await describeAll(here, ids);
    await here.stop();

    const { tables } = await move(home);
    expect(tables.find(({ table }) => table === "jobs")).toEqual({ table: "jobs", rows: 4 });
    expect([existsSync(join(home, "longhaul.db")), existsSync(join(home, "longhaul.db.moved"))]).toEqual([false, true]);

    const there = await openThere(home);
    try {
      expect(await describeAll(there, ids)).toEqual(before);
      expect((await there.tokens.list()).map(({ name }) => name)).toEqual(["mine"]);
      expect(await there.pausedKinds()).toEqual(["work"]);
      const again = await there.submitKeyed([{ kind: "work", input: { text: "queued" }, idempotencyKey: "key" }]);
      expect(again.map(({ job, isDuplicate }) => [job.id, isDuplicate])).toEqual([[queued.id, true]]);
      await there.resume("work");
      const { jobs } = await there.wait([queued.id, after.id]);
      expect(jobs.map(({ state }) => state.status)).toEqual(["succeeded", "succeeded"]);
      expect((await there.get(delayed.id)).state.status).toBe("queued");
    } finally {
      await there.stop();
    }
  });

  it("refuses a database that has something, and a folder that a server has, and changes nothing", async () => {
    const home = makeTempFolder();
    const store = await openSqliteStore({ file: join(home, "longhaul.db") });
    await expect(move(home)).rejects.toMatchObject({ code: "store_in_use" });
    await store.close();
    const made = await openDatabase({ url: database().url, schema: "longhaul", size: 2, migrates: true });
    await made.close();
    await database().run("INSERT INTO longhaul.paused_kinds VALUES ('shell')");
    await expect(move(home)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("nothing was moved"),
    });
    expect(existsSync(join(home, "longhaul.db"))).toBe(true);
  });

  it("is begun again where it was cut short, before its end or right after it", async () => {
    const home = makeTempFolder();
    const store = await openSqliteStore({ file: join(home, "longhaul.db") });
    await store.setPaused("shell", true);
    await store.close();
    const { kept } = await move(home);
    const { renameSync } = await import("node:fs");
    // As a move leaves it that was killed when all was there.
    renameSync(kept, join(home, "longhaul.db.moving"));
    expect((await move(home)).kept).toBe(kept);
    await database().run("DELETE FROM longhaul.paused_kinds");
    renameSync(kept, join(home, "longhaul.db.moving"));
    expect((await move(home)).tables.find(({ table }) => table === "paused_kinds")?.rows).toBe(1);
  });

  it("says which folder has no database", async () => {
    const home = makeTempFolder();
    writeFileSync(join(home, "config.json"), "{}");
    await expect(move(home)).rejects.toMatchObject({ code: "not_found" });
  });
});

it("has a place for every table of the store in the folder", async () => {
  const file = join(makeTempFolder(), "longhaul.db");
  await (await openSqliteStore({ file })).close();
  const connection = await connect(file, { isReadOnly: true });
  const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const known = new Set([...moves.map(({ from }) => from), ...Object.keys(notMoved)]);
  expect(tables.map((row) => (row as { name: string }).name).filter((name) => !known.has(name))).toEqual([]);
  // A column that is added has to go somewhere too.
  const columns = connection.prepare("SELECT name FROM pragma_table_info('jobs')").all() as { name: string }[];
  const text = JSON.stringify(moves.filter(({ from }) => from === "jobs"));
  expect(
    columns.map(({ name }) => name).filter((name) => name !== "num" && !text.includes(`t.${name}`) && name !== "ready"),
  ).toEqual([]);
  connection.close();
});

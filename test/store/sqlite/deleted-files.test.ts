import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { createDraftSource } from "../drafts.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { refusal, World } from "../world.ts";
import { openRecordedStore } from "./recorded-store.ts";

async function openWorld(): Promise<{ world: World; file: string }> {
  const file = join(makeTempFolder(), "longhaul.db");
  const store = await openSqliteStore({ file });
  onTestFinished(() => store.close());
  return { world: new World({ store, reopen: async () => store, cleanup: () => store.close() }), file };
}

/** The names of the jobs that a server finds after kill -9 of this one: what is in the files now, and nothing else. */
async function namesAfterCrash(file: string): Promise<unknown[]> {
  const copy = join(makeTempFolder(), "longhaul.db");
  for (const end of ["", "-wal"]) if (existsSync(file + end)) copyFileSync(file + end, copy + end);
  const store = await openSqliteStore({ file: copy });
  onTestFinished(() => store.close());
  return (await store.list({}, { limit: 100 })).jobs.map(({ name }) => name).toReversed();
}

const refused = { ...refusal("storage_failed"), message: expect.stringMatching(/deleted or replaced/) as string };

describe("a database that was deleted", () => {
  it("refuses every write and the probe with the reason, and still answers readers", async () => {
    const { world, file } = await openWorld();
    const job = await world.submit();
    rmSync(file);
    await expect(world.submit()).rejects.toMatchObject(refused);
    await expect(world.claim()).rejects.toMatchObject(refused);
    await expect(world.store.probe()).rejects.toMatchObject(refused);
    expect(await world.status(job.id)).toBe("queued");
  });

  it("refuses them when its folder is gone, too", async () => {
    const { world, file } = await openWorld();
    rmSync(dirname(file), { recursive: true });
    await expect(world.submit()).rejects.toMatchObject(refused);
    await expect(world.store.probe()).rejects.toMatchObject(refused);
  });

  it("takes writes again once it is back, and has kept nothing of what it refused", async () => {
    const { world, file } = await openWorld();
    await world.submit({ name: "before" });
    renameSync(file, `${file}.away`);
    await expect(world.submit({ name: "refused" })).rejects.toMatchObject(refused);
    renameSync(`${file}.away`, file);
    await world.submit({ name: "after" });
    expect(await namesAfterCrash(file)).toEqual(["before", "after"]);
  });

  it("acknowledges nothing that was committed just after it went", async () => {
    const recording = await openRecordedStore();
    recording.beforeExecute = (sql) => {
      if (sql === "COMMIT") rmSync(recording.file);
    };
    await expect(recording.world.submit()).rejects.toMatchObject(refused);
  });
});

describe("a database that was replaced by another", () => {
  it("refuses every write, and leaves the other and its log as they are, also when it is closed", async () => {
    const { world, file } = await openWorld();
    await world.submit();
    rmSync(file);
    writeFileSync(file, "another");
    writeFileSync(`${file}-wal`, "its log");
    await expect(world.submit()).rejects.toMatchObject(refused);
    await world.cleanup();
    expect([readFileSync(file, "utf8"), readFileSync(`${file}-wal`, "utf8")]).toEqual(["another", "its log"]);
  });
});

describe("a log that was deleted", () => {
  it("is made anew with the next write, and nothing that was acknowledged is lost", async () => {
    const { world, file } = await openWorld();
    for (const name of ["one", "two"]) await world.submit({ name });
    rmSync(`${file}-wal`);
    await world.submit({ name: "three" });
    expect(await namesAfterCrash(file)).toEqual(["one", "two", "three"]);
    rmSync(`${file}-wal`);
    await world.store.probe();
    expect(await namesAfterCrash(file)).toEqual(["one", "two", "three"]);
  });

  it("is made anew before a write is acknowledged that came just after it went", async () => {
    const recording = await openRecordedStore();
    recording.beforeExecute = (sql) => {
      if (sql !== "COMMIT") return;
      recording.beforeExecute = () => undefined;
      rmSync(`${recording.file}-wal`);
    };
    await recording.world.store.create([createDraftSource()({ name: "one" })]);
    expect(await namesAfterCrash(recording.file)).toEqual(["one"]);
  });

  it("refuses every write when another file is in its place", async () => {
    const { world, file } = await openWorld();
    await world.submit();
    rmSync(`${file}-wal`);
    writeFileSync(`${file}-wal`, "something else");
    await expect(world.submit()).rejects.toMatchObject(refused);
  });
});

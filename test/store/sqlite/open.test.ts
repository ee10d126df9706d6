import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LonghaulError } from "../../../src/job/error.ts";
import { connect } from "../../../src/store/sqlite/driver.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { applicationId, migrations } from "../../../src/store/sqlite/schema.ts";
import type { Store } from "../../../src/store/store.ts";
import { createDraftSource } from "../drafts.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { refusal } from "../world.ts";

/** Opens a store that is closed when the test has ended. */
async function open(file: string): Promise<Store> {
  const store = await openSqliteStore({ file });
  onTestFinished(() => store.close());
  return store;
}

async function makeStoreFile({ jobs = 1 } = {}): Promise<string> {
  const file = join(makeTempFolder(), "longhaul.db");
  const store = await openSqliteStore({ file });
  const draft = createDraftSource();
  await store.create(Array.from({ length: jobs }, () => draft({ name: "kept", input: "x".repeat(500) })));
  await store.close();
  return file;
}

async function execute(file: string, sql: string): Promise<void> {
  const connection = await connect(file, { isReadOnly: false });
  connection.exec(sql);
  connection.close();
}

const hash = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

interface Refused {
  readonly code: string;
  readonly message: string;
  /** The file is byte for byte, and the folder around it, as before. */
  readonly isUntouched: boolean;
}

async function tryToOpen(file: string): Promise<Refused> {
  const look = (): string => [hash(file), ...readdirSync(dirname(file))].join();
  const before = look();
  try {
    await (await openSqliteStore({ file })).close();
  } catch (error) {
    const { code = "", message } = error as Partial<LonghaulError> & Error;
    return { code, message, isUntouched: look() === before };
  }
  throw new Error("the file was opened");
}

const refusedAsDamaged = {
  code: "store_damaged",
  message: expect.stringContaining("It was left unchanged") as string,
  isUntouched: true,
};

describe("opening a file", () => {
  it("a store and its folder are made where there is none", async () => {
    const file = join(makeTempFolder(), "deep", "down", "longhaul.db");
    const store = await open(file);
    expect(await store.count({})).toEqual([]);
  });

  it("an empty file becomes a store", async () => {
    const file = join(makeTempFolder(), "longhaul.db");
    writeFileSync(file, "");
    expect(await (await open(file)).count({})).toEqual([]);
  });

  it("a closed store can be opened again at once", async () => {
    const file = await makeStoreFile();
    for (let n = 0; n < 3; n++) {
      const store = await openSqliteStore({ file });
      expect(await store.count({})).toMatchObject([{ count: 1 }]);
      await store.close();
    }
  });

  it("a closed store leaves no lock, log or note beside its file", async () => {
    const file = await makeStoreFile();
    expect(readdirSync(join(file, ".."))).toEqual(["longhaul.db"]);
  });
});

describe("opening refuses, and leaves as it is,", () => {
  it.each([
    ["text", "This is not a database, but it is long enough to have the size of a header of one. ".repeat(3)],
    ["a short text", "short"],
    ["zeros", "\0".repeat(8192)],
  ])("a file of %s", async (_what, content) => {
    const file = join(makeTempFolder(), "longhaul.db");
    writeFileSync(file, content);
    expect(await tryToOpen(file)).toEqual(refusedAsDamaged);
  });

  it("the database of another program", async () => {
    const file = join(makeTempFolder(), "longhaul.db");
    await execute(file, "PRAGMA application_id = 42; CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
    expect(await tryToOpen(file)).toEqual(refusedAsDamaged);
  });

  it("the database of another program that does not say whose it is", async () => {
    const file = join(makeTempFolder(), "longhaul.db");
    await execute(file, "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
    expect(await tryToOpen(file)).toEqual(refusedAsDamaged);
  });

  it.each([0.25, 0.5, 0.75])("a store with damaged pages at %d of its length", async (where) => {
    const file = await makeStoreFile({ jobs: 500 });
    const size = readFileSync(file).length;
    const descriptor = openSync(file, "r+");
    const noise = Buffer.alloc(3 * 4096, "damage");
    writeSync(descriptor, noise, 0, noise.length, Math.floor((size * where) / 4096) * 4096);
    closeSync(descriptor);
    expect(await tryToOpen(file)).toEqual(refusedAsDamaged);
  });

  it("a store that was cut off", async () => {
    const file = await makeStoreFile({ jobs: 500 });
    truncateSync(file, Math.floor(readFileSync(file).length / 2));
    expect(await tryToOpen(file)).toEqual(refusedAsDamaged);
  });

  it("a store of a newer version, with the version that is known", async () => {
    const file = await makeStoreFile();
    await execute(file, `PRAGMA user_version = ${migrations.length + 1}`);
    expect(await tryToOpen(file)).toEqual({
      code: "store_too_new",
      message: expect.stringMatching(`newer Longhaul .*\\b${migrations.length}\\b.* update Longhaul`) as string,
      isUntouched: true,
    });
  });

  it("a folder where the file should be", async () => {
    const file = join(makeTempFolder(), "longhaul.db");
    mkdirSync(file);
    await expect(openSqliteStore({ file })).rejects.toMatchObject(refusal("storage_failed"));
  });

  it("a path through a file", async () => {
    const file = join(makeTempFolder(), "file");
    writeFileSync(file, "");
    await expect(openSqliteStore({ file: join(file, "longhaul.db") })).rejects.toMatchObject(refusal("storage_failed"));
  });
});

/** Another process that has the file open as an engine does, and executes some SQL, until it is killed. */
async function holdInAnotherProcess(file: string, sql = ""): Promise<{ pid: number; kill: () => Promise<void> }> {
  const script = `
    import { DatabaseSync } from "@photostructure/sqlite";
    import { writeFileSync } from "node:fs";
    const db = (globalThis.held = new DatabaseSync(${JSON.stringify(file)}));
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; COMMIT;");
    db.exec(${JSON.stringify(sql)});
    writeFileSync(${JSON.stringify(`${file}.owner`)}, String(process.pid));
    console.log("held");
    process.stdin.resume();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: import.meta.dirname,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const hasDied = once(child, "exit").then(() =>
    Promise.reject(new Error("the other process could not hold the file")),
  );
  await Promise.race([once(child.stdout, "data"), hasDied]);
  hasDied.catch(() => undefined);
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { pid: child.pid ?? 0, kill };
}

/** Whether another process can write to the file. */
async function isFreeForOthers(file: string): Promise<boolean> {
  const script = `
    import { DatabaseSync } from "@photostructure/sqlite";
    new DatabaseSync(${JSON.stringify(file)}).exec("BEGIN IMMEDIATE; COMMIT");`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: import.meta.dirname,
    stdio: "ignore",
  });
  const [code] = (await once(child, "exit")) as [number];
  return code === 0;
}

describe("a store that is open", () => {
  it("is not opened a second time: the refusal names the file and the process that has it", async () => {
    const file = join(makeTempFolder(), "longhaul.db");
    const store = await open(file);
    const draft = createDraftSource();
    await store.create([draft()]);
    await expect(openSqliteStore({ file })).rejects.toMatchObject({
      ...refusal("store_in_use"),
      message: expect.stringMatching(new RegExp(`^${file} is in use .*process ${process.pid}\\b`)) as string,
    });
    await store.create([draft()]);
    expect(await store.count({})).toMatchObject([{ count: 2 }]);
  });

  it("is locked against other processes", async () => {
    const file = join(makeTempFolder(), "longhaul.db");
    await open(file);
    expect(await isFreeForOthers(file)).toBe(false);
  });

  it("stays locked against other processes after its own has tried to open it again", async () => {
    const file = join(makeTempFolder(), "longhaul.db");
    await open(file);
    await expect(openSqliteStore({ file })).rejects.toMatchObject(refusal("store_in_use"));
    expect(await isFreeForOthers(file)).toBe(false);
  });

  it("is not opened while another process has it, and is once that was killed", async () => {
    const file = await makeStoreFile();
    const holder = await holdInAnotherProcess(file);
    await expect(openSqliteStore({ file })).rejects.toMatchObject({
      ...refusal("store_in_use"),
      message: expect.stringContaining(`process ${holder.pid}`) as string,
    });
    await holder.kill();
    expect(await (await open(file)).count({})).toMatchObject([{ count: 1 }]);
  });
});

describe("a store whose process was killed", () => {
  it("has what was committed, and nothing of what was not", async () => {
    const file = await makeStoreFile();
    const sql = `INSERT INTO paused_kinds VALUES ('committed'); BEGIN; INSERT INTO paused_kinds VALUES ('open')`;
    await (await holdInAnotherProcess(file, sql)).kill();
    const store = await open(file);
    expect(await store.pausedKinds()).toEqual(["committed"]);
    expect(await store.count({})).toMatchObject([{ count: 1 }]);
  });

  it("has it also when that was amid a write outside of WAL mode, as at the end of a close", async () => {
    const file = await makeStoreFile({ jobs: 200 });
    const sql = `INSERT INTO paused_kinds VALUES ('committed'); PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1;
      BEGIN; UPDATE jobs SET name = hex(randomblob(400))`;
    await (await holdInAnotherProcess(file, sql)).kill();
    const store = await open(file);
    expect(await store.pausedKinds()).toEqual(["committed"]);
    expect((await store.list({ name: "kept" }, { limit: 1_000 })).jobs).toHaveLength(200);
  });
});

describe("a store's file", () => {
  it("says whose it is and which version", async () => {
    const file = await makeStoreFile();
    const header = readFileSync(file).subarray(0, 100);
    expect(header.readUInt32BE(68)).toBe(applicationId);
    expect(header.readUInt32BE(60)).toBe(migrations.length);
  });
});

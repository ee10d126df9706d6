import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, type TestContext } from "vitest";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { second, t0 } from "../drafts.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { outcomes, refusal, World } from "../world.ts";
import { present } from "../../present.ts";

/** Undone in reverse order after each test, whatever happened in it: the store is closed before its disk goes. */
const undo: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  const failures: unknown[] = [];
  for (const step of undo.splice(0).toReversed()) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "cleaning up failed");
});

/** A small disk of its own; where mounting is not permitted the test is skipped, but never in CI. */
function mountDisk(context: TestContext, options = "size=2m"): string {
  const folder = makeTempFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "ignore" });
  } catch (error) {
    if (process.env["CI"] !== undefined) throw error;
    context.skip("mounting is not permitted here");
  }
  undo.push(() => {
    execFileSync("umount", ["--lazy", folder]);
  });
  return folder;
}

async function openWorld(folder: string): Promise<World> {
  const file = join(folder, "longhaul.db");
  let store: Store = await openSqliteStore({ file });
  undo.push(() => store.close());
  const reopen = async (): Promise<Store> => {
    await store.close();
    store = await openSqliteStore({ file });
    return store;
  };
  return new World({ store, reopen, cleanup: () => store.close() });
}

/** Leaves no byte of the disk free, until the returned function is called. */
function fillDisk(folder: string): () => void {
  const file = join(folder, "filler");
  for (const bytes of [65_536, 4_096, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: "a" });
    } catch {
      // Full for pieces of this size.
    }
  }
  return () => rmSync(file);
}

const large = { input: "x".repeat(20_000) };

/** Writes large jobs, small ones and less, until there is room for nothing; returns the jobs that were accepted. */
async function writeUntilRefused(world: World): Promise<{ accepted: string[]; refused: unknown }> {
  const accepted: string[] = [];
  await untilRefused(async () => accepted.push((await world.submit(large)).id));
  await untilRefused(async () => accepted.push((await world.submit()).id));
  const refused = await untilRefused((n) => world.store.setPaused(`kind ${n}`, true));
  return { accepted, refused };
}

async function untilRefused(write: (n: number) => Promise<unknown>): Promise<unknown> {
  for (let n = 0; n < 10_000; n++) {
    try {
      await write(n);
    } catch (error) {
      return error;
    }
  }
  throw new Error("the disk never was full");
}

async function listIds(world: World): Promise<string[]> {
  return (await world.store.list({}, { limit: 1_000 })).jobs.map(({ id }) => id);
}

describe("a full disk", () => {
  it("is told as such, loses nothing that was stored, and is forgotten once there is room", async (context) => {
    const folder = mountDisk(context);
    const world = await openWorld(folder);
    const first = await world.submit();
    const freeDisk = fillDisk(folder);
    const { accepted, refused } = await writeUntilRefused(world);
    expect(refused).toMatchObject(refusal("storage_full"));
    await expect(world.submit(large)).rejects.toMatchObject(refusal("storage_full"));
    expect(await listIds(world)).toEqual([first.id, ...accepted].toReversed());
    freeDisk();
    const after = await world.submit(large);
    await world.restart();
    expect(await listIds(world)).toEqual([first.id, ...accepted, after.id].toReversed());
    expect(await world.claim({ max: 1_000 })).toHaveLength(accepted.length + 2);
  });

  it("fails the probe, though the database has room for a write in its own files, until there is room", async (context) => {
    const folder = mountDisk(context);
    const world = await openWorld(folder);
    await world.store.probe();
    await world.submitMany(20, large);
    const freeDisk = fillDisk(folder);
    await expect(world.store.probe()).rejects.toMatchObject(refusal("storage_full"));
    freeDisk();
    await world.store.probe();
    expect(readdirSync(folder).filter((name) => name.includes("probe"))).toEqual([]);
  });

  it("fails the probe and every write when the disk is gone", async (context) => {
    const folder = mountDisk(context);
    const world = await openWorld(folder);
    await world.submit();
    execFileSync("umount", ["--lazy", folder]);
    undo.splice(0, 1);
    await expect(world.store.probe()).rejects.toMatchObject(refusal("storage_failed"));
    await expect(world.submit()).rejects.toMatchObject(refusal("storage_failed"));
  });

  it("stops no job that runs: its end is stored when there is room again", async (context) => {
    const folder = mountDisk(context);
    const world = await openWorld(folder);
    const { job, lease } = await world.start();
    const freeDisk = fillDisk(folder);
    await writeUntilRefused(world);
    const result = JSON.stringify("x".repeat(20_000));
    const settling = world.store.settle(lease, outcomes.succeeded, { now: t0, result });
    await expect(settling).rejects.toMatchObject(refusal("storage_full"));
    expect(await world.job(job.id)).toEqual(job);
    freeDisk();
    const settled = await world.store.settle(lease, outcomes.succeeded, { now: t0, result });
    expect(present(settled).state.status).toBe("succeeded");
    expect(await world.store.payload(job.id)).toEqual({ input: "{}", result });
  });

  it("is told as such for a write that is larger than the disk and the cache", async (context) => {
    const world = await openWorld(mountDisk(context));
    const job = await world.submit();
    const huge = { input: "x".repeat(30_000_000) };
    const [refused, beside] = await Promise.allSettled([world.submit(huge), world.submit({ name: "beside" })]);
    expect(refused).toMatchObject({ status: "rejected", reason: refusal("storage_full") });
    const stored = beside.status === "fulfilled" ? [beside.value.id, job.id] : [job.id];
    expect(await listIds(world)).toEqual(stored);
    expect(await world.submit()).toMatchObject({ state: { status: "queued" } });
  });

  it("is told as such when a store is made or opened, which works once there is room", async (context) => {
    const folder = mountDisk(context);
    const file = join(folder, "longhaul.db");
    const freeDisk = fillDisk(folder);
    await expect(openSqliteStore({ file })).rejects.toMatchObject(refusal("storage_full"));
    freeDisk();
    const world = await openWorld(folder);
    expect(await world.claim({ now: t0 + second })).toEqual([]);
  });

  it("keeps nobody from reading, also by words", async (context) => {
    const folder = mountDisk(context);
    const world = await openWorld(folder);
    const { id } = await world.submit({ name: "needle" });
    while (await world.store.tidy());
    await world.submitMany(10, large);
    const freeDisk = fillDisk(folder);
    await writeUntilRefused(world);
    expect(await world.status(id)).toBe("queued");
    expect((await world.store.list({ name: "needle" }, { limit: 10 })).jobs).toHaveLength(1);
    expect((await world.store.list({ text: "needle" }, { limit: 10 })).jobs).toHaveLength(1);
    freeDisk();
  });

  it("keeps nobody from closing the store, and nothing is lost by it", async (context) => {
    const folder = mountDisk(context);
    const store = await openSqliteStore({ file: join(folder, "longhaul.db") });
    const world = new World({ store, reopen: async () => store, cleanup: () => store.close() });
    fillDisk(folder);
    const { accepted } = await writeUntilRefused(world);
    await store.close();
    // Opened elsewhere: on Node 20 the driver may keep the lock until this process ends.
    const roomy = makeTempFolder();
    for (const name of readdirSync(folder)) {
      if (name.startsWith("longhaul.db")) copyFileSync(join(folder, name), join(roomy, name));
    }
    expect(await listIds(await openWorld(roomy))).toEqual(accepted.toReversed());
  });

  it("drops output that does not fit, counts it, and takes output again once there is room", async (context) => {
    const folder = mountDisk(context);
    const world = await openWorld(folder);
    const { job } = await world.start();
    const address = { id: job.id, attempt: 1, stream: "stdout" };
    const writer = world.store.output.writer(address);
    writer.append(Buffer.from("before"));
    const freeDisk = fillDisk(folder);
    const chunk = Buffer.alloc(100_000, "x");
    for (let n = 0; n < 10; n++) writer.append(chunk);
    freeDisk();
    writer.append(Buffer.from("after"));
    writer.close();
    const { output } = world.store;
    const { size, dropped } = await output.measure(address);
    expect(size).toBe(6 + 1_000_000 + 5);
    expect(dropped).toBeGreaterThan(900_000);
    const head = await output.read(address, 0, 6);
    expect(Buffer.from(head.bytes).toString()).toBe("before");
    const tail = await output.read(address, size - 5, 100);
    expect(Buffer.from(tail.bytes).toString()).toBe("after");
    expect(tail).toMatchObject({ from: size - 5, next: size, size });
  });

  it("that has no room for one more file drops and counts output too", async (context) => {
    const folder = mountDisk(context, "size=2m,nr_inodes=12");
    const file = join(folder, "longhaul.db");
    const store = await openSqliteStore({ file, outputCapBytes: 8_000 });
    undo.push(() => store.close());
    const world = new World({ store, reopen: async () => store, cleanup: () => store.close() });
    const { job } = await world.start();
    const address = { id: job.id, attempt: 1, stream: "stdout" };
    const writer = store.output.writer(address);
    writer.append(Buffer.from("head"));
    const fillers: string[] = [];
    try {
      for (let n = 0; n < 100; n++) {
        const filler = join(folder, `filler-${n}`);
        writeFileSync(filler, "");
        fillers.push(filler);
      }
    } catch {
      // No more files.
    }
    for (let n = 0; n < 20; n++) writer.append(Buffer.alloc(700, "x"));
    for (const filler of fillers) rmSync(filler);
    writer.append(Buffer.from("tail"));
    writer.close();
    const { size } = await store.output.measure(address);
    expect(size).toBe(4 + 14_000 + 4);
    const tail = await store.output.read(address, size - 4, 100);
    expect(Buffer.from(tail.bytes).toString()).toBe("tail");
  });
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { placeSchema } from "../../src/job/place.ts";
import { lockHome, readMachineName } from "../../src/server/home.ts";
import { makeTempFolder } from "../temp-folder.ts";

describe("the folder of an engine on a shared store", () => {
  const refused = { name: "LonghaulError", code: "store_in_use" };

  it("belongs to one engine, until that lets go of it", async () => {
    const home = makeTempFolder();
    const release = await lockHome(home, { isShared: true });
    await expect(lockHome(home, { isShared: true })).rejects.toMatchObject({
      ...refused,
      message: `${home} is in use by another Longhaul engine (process ${process.pid}). Only one may have it open: talk to that one, or use another folder with LONGHAUL_HOME.`,
    });
    release();
    const next = await lockHome(home, { isShared: true });
    next();
  });

  it("is not opened by an engine on a database of its own meanwhile", async () => {
    const home = makeTempFolder();
    const release = await lockHome(home, { isShared: true });
    await expect(lockHome(home, { isShared: false })).rejects.toMatchObject(refused);
    release();
    const next = await lockHome(home, { isShared: false });
    next();
  });
});

describe("the name of a machine", () => {
  it("is made once for a folder, and stays", () => {
    const home = makeTempFolder();
    const name = readMachineName(home);
    expect(placeSchema.parse(name)).toBe(name);
    expect(readMachineName(home)).toBe(name);
    expect(readMachineName(makeTempFolder())).not.toBe(name);
  });

  it("may be chosen, and one that cannot be used is refused with a sentence", () => {
    const home = makeTempFolder();
    const file = join(home, "machine");
    writeFileSync(file, "build-1\n");
    expect(readMachineName(home)).toBe("build-1");
    writeFileSync(file, "Build 1");
    expect(() => readMachineName(home)).toThrow(
      `${file} must hold the name of this machine, a word of lower-case letters, digits, dots and dashes, got "Build 1": change it, or remove the file.`,
    );
    expect(readFileSync(file, "utf8")).toBe("Build 1");
  });
});

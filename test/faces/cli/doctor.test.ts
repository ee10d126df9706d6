import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../../src/faces/cli/doctor/finding.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { endProcess, makeCli, type Cli } from "./cli.ts";

async function examine(
  cli: Cli,
  env: Record<string, string> = {},
): Promise<{ code: number | null; find: (name: string) => Finding | undefined }> {
  const { code, stdout } = await cli.run(["doctor", "--json"], { env });
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Finding[] };
  expect(ok).toBe(code === 0);
  return { code, find: (name) => checks.find((finding) => finding.name === name) };
}

/** Puts noise in the place of these bytes. */
function overwrite(file: string, from: number, to: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(to - from, 0xaa), 0, to - from, from);
  closeSync(descriptor);
}

/** The header of a SQLite file has both as numbers of four bytes. */
function setNumber(file: string, offset: number, number: number): void {
  const bytes = readFileSync(file);
  bytes.writeUInt32BE(number, offset);
  writeFileSync(file, bytes);
}

const setVersion = (file: string, version: number): void => setNumber(file, 60, version);
const setMark = (file: string, mark: number): void => setNumber(file, 68, mark);
const matching = (pattern: RegExp): string => expect.stringMatching(pattern) as string;

describe("doctor", () => {
  it("finds nothing wrong with a folder that is not used yet, and leaves it so", async () => {
    const cli = makeCli();
    const home = join(cli.home, "later");
    const { code, find } = await examine(cli, { LONGHAUL_HOME: home });
    expect([code, find("folder")?.status, find("server")?.status]).toEqual([0, "note", "note"]);
    expect(existsSync(home)).toBe(false);
  });

  it("finds a running server well", async () => {
    const cli = makeCli();
    await cli.run(["ps"]);
    const { code, stdout } = await cli.run(["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/✓ server .*\n[^]*✓ http .*\n[^]*All is well/);
  });

  it("says whether there are a browser, models and clients, none of which is a fault", async () => {
    const cli = makeCli();
    const none = { HOME: cli.home, PATH: "/usr/bin:/bin", LONGHAUL_BROWSER: "/nowhere/chromium", XDG_CONFIG_HOME: "" };
    const keyless = { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", OPENAI_BASE_URL: "", OLLAMA_HOST: "" };
    const lacking = await examine(cli, { ...none, ...keyless });
    expect(lacking.code).toBe(0);
    expect(lacking.find("browser")).toMatchObject({ status: "note", message: matching(/\/nowhere\/chromium/) });
    expect(lacking.find("models")).toMatchObject({ status: "note", advice: matching(/ANTHROPIC_API_KEY/) });
    expect(lacking.find("clients")).toMatchObject({ status: "note", advice: matching(/longhaul add/) });

    await cli.run(["add", "cursor"], { env: none });
    const equipped = await examine(cli, { ...none, LONGHAUL_BROWSER: process.execPath, ANTHROPIC_API_KEY: "sk-x" });
    expect(equipped.find("browser")).toMatchObject({ status: "ok" });
    expect(equipped.find("models")).toMatchObject({ status: "ok", message: matching(/anthropic/) });
    expect(equipped.find("clients")?.message).toMatch(/Cursor/);
  });

  it("tells what a dead server left, and changes nothing", async () => {
    const cli = makeCli();
    await cli.run(["ps"]);
    await endProcess(cli.serverPid() ?? 0, "SIGKILL");
    const before = readdirSync(cli.home);
    const { code, find } = await examine(cli);
    expect(find("socket")?.message).toContain("left by a server that died");
    expect(find("owner")?.message).toContain("died");
    expect([code, readdirSync(cli.home)]).toEqual([0, before]);
  });

  it("finds what is wrong, says what to do and exits with 1", async () => {
    const cli = makeCli();
    writeFileSync(join(cli.home, "longhaul.db"), "this is no database");
    writeFileSync(join(cli.home, "config.json"), '{ "shel": {} }');
    writeFileSync(join(cli.home, "token"), "secret");
    chmodSync(join(cli.home, "token"), 0o644);
    const { code, find } = await examine(cli, { PATH: "/nowhere" });
    expect(code).toBe(1);
    for (const name of ["database", "settings", "token", "bash", "mkfifo"]) {
      expect(find(name)).toMatchObject({ status: "bad", advice: expect.any(String) as string });
    }
    expect((await cli.run(["doctor"])).stdout).toMatch(/✗ database .*\n +→ Restore/);
  });

  it.each<[string, (file: string) => void, RegExp]>([
    ["damaged pages", (file) => overwrite(file, 4_096, 8_192), /longhaul\.db cannot be used: .*(damaged|malformed)/],
    [
      "an end that is missing",
      (file) => truncateSync(file, 20_000),
      /longhaul\.db cannot be used: .*(damaged|malformed)/,
    ],
    ["another first line", (file) => overwrite(file, 0, 16), /longhaul\.db is not a SQLite database/],
    ["the format of a newer version", (file) => setVersion(file, 999), /was written by a newer Longhaul/],
    ["the mark of another program", (file) => setMark(file, 1), /belongs to another program/],
  ])("finds a database with %s, and leaves it as it is", async (_what, spoil, message) => {
    const cli = makeCli();
    const file = join(cli.home, "longhaul.db");
    await (await openSqliteStore({ file })).close();
    spoil(file);
    const before = [readFileSync(file), readdirSync(cli.home)];
    const { code, find } = await examine(cli);
    expect([code, find("database")?.status, find("database")?.message]).toEqual([1, "bad", matching(message)]);
    expect([readFileSync(file), readdirSync(cli.home)]).toEqual(before);
  });

  it("finds a database that is whole sound, and one in use as well", async () => {
    const cli = makeCli();
    const file = join(cli.home, "longhaul.db");
    await (await openSqliteStore({ file })).close();
    expect((await examine(cli)).find("database")).toMatchObject({ status: "ok", message: matching(/is sound/) });
    await cli.run(["ps"]);
    expect((await examine(cli)).find("database")).toMatchObject({ status: "ok", message: matching(/is in use/) });
  });

  it("finds a folder that cannot be made", async () => {
    const cli = makeCli();
    writeFileSync(join(cli.home, "file"), "");
    const { code, find } = await examine(cli, { LONGHAUL_HOME: join(cli.home, "file", "below") });
    expect([code, find("folder")?.status]).toEqual([1, "bad"]);
  });

  it("finds no owner in a file that a power cut has left empty", async () => {
    const cli = makeCli();
    writeFileSync(join(cli.home, "longhaul.db.owner"), "");
    expect((await examine(cli)).find("owner")).toMatchObject({ status: "note" });
  });

  it("finds a server that does not answer though its process lives", async () => {
    const cli = makeCli();
    writeFileSync(join(cli.home, "longhaul.db.owner"), String(process.pid));
    expect((await examine(cli)).find("owner")).toMatchObject({ status: "bad" });
  });
});

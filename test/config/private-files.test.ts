import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { findPaths } from "../../src/config/paths.ts";
import { checkConfigFile, checkFile, checkFolder } from "../../src/config/private-files.ts";
import { createClient } from "../../src/faces/door/local-client.ts";
import { openSocket } from "../../src/faces/mcp/front/server-link.ts";
import { makeHome, serveHere } from "../server/server-here.ts";
import { makeTempFolder } from "../temp-folder.ts";

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

function makeFile(name: string, mode: number): string {
  const file = join(makeTempFolder(), name);
  writeFileSync(file, "{}");
  chmodSync(file, mode);
  return file;
}

describe("a folder of the server", () => {
  it("may be missing, or open to be read, but not to be written", () => {
    const folder = makeTempFolder();
    expect(() => checkFolder(join(folder, "nothing"))).not.toThrow();
    for (const mode of [0o700, 0o755]) {
      chmodSync(folder, mode);
      expect(() => checkFolder(folder)).not.toThrow();
    }
    chmodSync(folder, 0o1777);
    expect(() => checkFolder(folder)).toThrow(/can be changed by other users, so Longhaul does not use it/);
  });

  it.skipIf(!isRoot)("must be ours, and so must a link that leads to it", () => {
    const folder = makeTempFolder();
    const inner = join(folder, "inner");
    mkdirSync(inner);
    symlinkSync(inner, join(folder, "link"));
    expect(() => checkFolder(join(folder, "link"))).not.toThrow();
    chownSync(inner, nobody, nobody);
    expect(() => checkFolder(inner)).toThrow(/belongs to another user/);
    expect(() => checkFolder(join(folder, "link"))).toThrow(/belongs to another user/);
  });
});

describe("a file of the server", () => {
  it("must be a file that nobody else can change, and a secret one that nobody else can read", () => {
    expect(() => checkFile(makeFile("token", 0o600), { isSecret: true })).not.toThrow();
    expect(() => checkFile(makeFile("token", 0o604), { isSecret: true })).toThrow(/can be read by other users/);
    expect(() => checkFile(makeFile("longhaul.db", 0o604), { isSecret: false })).not.toThrow();
    expect(() => checkFile(makeFile("longhaul.db", 0o602), { isSecret: false })).toThrow(
      /can be changed by other users/,
    );
    const link = join(makeTempFolder(), "token");
    symlinkSync(makeFile("elsewhere", 0o600), link);
    expect(() => checkFile(link, { isSecret: true })).toThrow(/is not a regular file/);
  });

  it.skipIf(!isRoot)("must be ours", () => {
    const token = makeFile("token", 0o600);
    chownSync(token, nobody, nobody);
    expect(() => checkFile(token, { isSecret: true })).toThrow(/belongs to another user/);
    expect(() => checkConfigFile(token)).toThrow(/belongs to another user/);
  });
});

describe("a hostile home", () => {
  const open = (home: string): unknown => loadConfig({}, { LONGHAUL_HOME: home });

  it("is refused: a folder that all can write to", async () => {
    const home = makeHome();
    chmodSync(home, 0o777);
    await expect(serveHere(home)).rejects.toThrow(`${home} can be changed by other users`);
  });

  it("is refused: a token that somebody else has put there, or could read", async () => {
    const home = makeHome();
    writeFileSync(join(home, "token"), "planted");
    chmodSync(join(home, "token"), 0o644);
    await expect(serveHere(home)).rejects.toThrow(/token can be read by other users/);
  });

  it("is refused: a configuration that all can change", () => {
    const home = makeHome();
    chmodSync(join(home, "config.json"), 0o666);
    expect(() => open(home)).toThrow(/config\.json can be changed by other users/);
  });

  it("is refused: a database that all can change", async () => {
    const home = makeHome();
    writeFileSync(join(home, "longhaul.db"), "");
    chmodSync(join(home, "longhaul.db"), 0o666);
    await expect(serveHere(home)).rejects.toThrow(/longhaul\.db can be changed by other users/);
  });

  it("is not talked to by the command line or an MCP front: whoever listens there may be anybody", async () => {
    const folder = makeTempFolder();
    const socket = join(folder, "longhaul.sock");
    let visits = 0;
    const server = createServer((visitor) => {
      visits += 1;
      visitor.destroy();
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    onTestFinished(() => void server.close());
    chmodSync(folder, 0o777);
    await expect(createClient(socket).call("server_status", {})).rejects.toThrow(/can be changed by other users/);
    expect(await openSocket(socket)).toBeUndefined();
    expect(visits).toBe(0);
  });
});

it("the database, what SQLite keeps beside it, and the token are the user's alone, also where an older version left them open", async () => {
  const home = makeHome();
  const first = await serveHere(home);
  await first.stop();
  chmodSync(join(home, "longhaul.db"), 0o644);
  await serveHere(home);
  const modeOf = (name: string): string => (statSync(join(home, name)).mode & 0o777).toString(8);
  for (const name of ["longhaul.db", "longhaul.db-wal", "token", "server.json"])
    expect([name, modeOf(name)]).toEqual([name, "600"]);
  expect((statSync(home).mode & 0o777).toString(8)).toBe("700");
});

it("sockets of a home with a long path lie in a folder that is checked before it is used", async () => {
  const temporary = makeTempFolder();
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = temporary;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  const home = join(makeTempFolder(), "long".repeat(30));
  const { socket } = findPaths({ LONGHAUL_HOME: home });
  const folder = join(temporary, `longhaul-${process.getuid?.() ?? ""}`);
  expect(socket.startsWith(folder)).toBe(true);
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  await expect(serveHere(home)).rejects.toThrow(`${folder} can be changed by other users`);
  await expect(createClient(socket).call("server_status", {})).rejects.toThrow(
    `${folder} can be changed by other users`,
  );
});

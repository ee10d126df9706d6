import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCliDoor, openHttpDoor, openMcpDoor } from "./contract-doors.ts";
import { cases, type Door } from "./contract.ts";
import { serveBuilt, type TestServer } from "./mcp/server-process.ts";

/** Every verb through every door: the same case has the same answer. */
describe.each(["mcp", "http", "cli"])("through %s", (name) => {
  let home = "";
  let server: TestServer;
  let door: Door & { close?: () => Promise<void> };
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "longhaul-contract-"));
    await writeFile(join(home, "config.json"), JSON.stringify({ shell: { output_cap_mb: 0.05 } }));
    server = await serveBuilt(home);
    const open = { mcp: openMcpDoor, http: openHttpDoor, cli: () => openCliDoor(home) }[name];
    if (open === undefined) throw new Error(`there is no door ${name}`);
    door = await open(server);
  });
  afterAll(async () => {
    await door.close?.();
    await server.stop();
    await rm(home, { recursive: true, force: true });
  });

  it.each(cases)("$rule ($verb)", async ({ verb, input, expected }) => {
    const told = await door.ask(verb, JSON.parse(JSON.stringify(input).replaceAll('"$', '"the-')) as typeof input);
    // MCP offers what a model needs; the rest is for people and programs.
    if (told === undefined)
      expect([name, ["events", "pause", "resume", "prune", "status"]]).toEqual(["mcp", expect.arrayContaining([verb])]);
    else expect(told).toMatchObject(expected);
  });
});

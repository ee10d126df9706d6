import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scheduleProfile } from "../../../../src/faces/profiles/schedule/schedule-profile.ts";
import { defineKind, type Engine } from "../../../../src/index.ts";
import { shellContract } from "../../../../src/kinds/shell/contract.ts";
import { createMcpEndpoint, type McpEndpoint } from "../../../../src/mcp.ts";
import { Puppet } from "../../../engine/puppet.ts";
import { useWorld } from "../../../engine/world.ts";
import { textOf } from "../../mcp/reply-text.ts";
import { parts } from "../parts.ts";

describe("the profile schedule", () => {
  const world = useWorld();
  let engine: Engine;
  let endpoint: McpEndpoint;
  let client: Client;
  beforeEach(async () => {
    const shell = defineKind({
      ...shellContract,
      onInterrupt: "fail",
      run: async () => ({ exit_code: 0, signal: null }),
    });
    engine = await world().openTimed([shell, new Puppet().kind]);
    endpoint = createMcpEndpoint({ engine, build: (context) => scheduleProfile.build(context, parts) });
    client = new Client({ name: "plain", version: "0.0.0" }, { versionNegotiation: { mode: "auto" } });
    const fetch = (url: string | URL, init?: RequestInit): Promise<Response> =>
      endpoint.fetch(new Request(url, init), { actor: {}, isIdentified: true });
    await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch }));
  });
  afterEach(async () => {
    await client.close();
    await endpoint.close();
  });
  const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const reply = await client.callTool({ name, arguments: args });
    return `${reply.isError === true ? "error " : ""}${textOf(reply)}`;
  };

  it("has three tools, in few words, under names that no other profile has", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["schedule_add", "schedule_list", "schedule_change"]);
    expect(JSON.stringify(tools).length).toBeLessThan(4_000);
    expect(scheduleProfile.onceOnlyTools).toEqual(["schedule_add", "schedule_change"]);
  });

  it("plans a command, shows it, runs, pauses, resumes and deletes it", async () => {
    expect(await call("schedule_list", {})).toBe("There are no schedules.");
    const added = await call("schedule_add", { name: "nightly", cron: "0 3 * * *", tz: "UTC", command: "make backup" });
    expect(added).toMatch(
      /^Added nightly: make backup · "0 3 \* \* \*" \(UTC\) · next 2026-01-01T03:00:00.000Z · 0 runs\nthen: 2026-01-02T/,
    );
    const started = await call("schedule_change", { schedule: "nightly", action: "run" });
    const [, id = ""] = /^Started job ([0-9a-f-]{36})\./.exec(started) ?? [];
    await engine.wait(id);
    const shown = await call("schedule_list", { schedule: "nightly" });
    expect(shown).toContain("1 runs · last succeeded");
    expect(shown).toContain(`by hand  succeeded  ${id}`);
    expect(await call("schedule_change", { schedule: "nightly", action: "pause" })).toContain("paused");
    expect(await call("schedule_list", {})).toContain("paused");
    expect(await call("schedule_change", { schedule: "nightly", action: "resume" })).toContain("next 2026-01-01T03:00");
    expect(await call("schedule_change", { schedule: "nightly", action: "delete" })).toMatch(/^Deleted nightly/);
    expect(await call("schedule_change", { schedule: "nightly", action: "run" })).toMatch(
      /^error not_found: There is no schedule "nightly".*Call schedule_list/s,
    );
  });

  it("plans any start tool with its arguments", async () => {
    const request = { name: "often", every_ms: 60_000, start: "run_puppet", input: { label: "x" } };
    expect(await call("schedule_add", request)).toContain("often: puppet · every 60 s");
    expect(await engine.schedules.get("often")).toMatchObject({ kind: "puppet", input: { label: "x" } });
  });

  it("refuses what it cannot plan in one sentence, and makes nothing", async () => {
    const cases: [Record<string, unknown>, string][] = [
      [{ cron: "0 3 * *", command: "x" }, 'cron must be five fields such as "0 3 * * *", got "0 3 * *".'],
      [
        { cron: "0 3 * * *", tz: "Nowhere", command: "x" },
        'tz must be a time zone such as Europe/Berlin, got "Nowhere".',
      ],
      [{ cron: "0 3 * * *" }, "Give either a command, or start with its input."],
      [{ every_ms: 1_000, start: "run_nothing" }, 'start must be one of run_command, run_puppet, got "run_nothing".'],
    ];
    for (const [args, sentence] of cases) {
      expect(await call("schedule_add", { name: "n", ...args })).toBe(`error invalid_input: ${sentence}`);
    }
    expect(await engine.schedules.list()).toEqual([]);
  });
});

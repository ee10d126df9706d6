import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createStartTools } from "../../../../src/faces/profiles/core/start-tools.ts";
import type { Contract } from "../../../../src/job/contract.ts";
import { defineKind } from "../../../../src/job/kind.ts";
import { agentContract } from "../../../../src/kinds/agent/contract.ts";
import { crawlContract } from "../../../../src/kinds/crawl/contract.ts";
import { pageContract } from "../../../../src/kinds/page/contract.ts";
import { shellContract } from "../../../../src/kinds/shell/contract.ts";
import { Puppet } from "../../../engine/puppet.ts";
import { untilStatus, useWorld } from "../../../engine/world.ts";
import { textOf } from "../../mcp/reply-text.ts";

const contracts: readonly Contract[] = [shellContract, agentContract, pageContract, crawlContract];
const kinds = contracts.map((contract) => defineKind({ ...contract, onInterrupt: "fail", run: async () => null }));
const tools = createStartTools(
  { version: "0.0.0", startedAt: 0, home: "", url: undefined },
  kinds.map((kind) => ({ ...kind, concurrency: 1 })),
);

describe.each(tools)("$name", (tool) => {
  const world = useWorld();

  it("names the job, however it ends, and says that it waited for less than it was asked to", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const attempt = await puppet.next();
    const access = { engine, actor: {} };
    const open = (args: object): Promise<string> =>
      engine.get(id).then(async (job) => textOf((await tool.presentOpen?.(job, access, args)) ?? { content: [] }));
    expect(await open({ wait_s: 100 })).toContain(
      "wait_clamped: waited 45 s instead of 100 s; keep waiting with job_wait.\n",
    );
    expect(await open({})).toMatch(new RegExp(`^job ${id} running for `));
    attempt.fail(new Error("It broke."));
    await untilStatus(engine, id, "failed");
    const shown = await tool.present?.(await engine.get(id), access);
    expect(shown?.isError).toBe(true);
    expect(textOf(shown ?? { content: [] })).toMatch(new RegExp(`^job ${id} failed after [\\d.]+ s: .*It broke`));
  });

  it("waits for less by default if its client has tasks, because such a client may start one call after the other", () => {
    expect([tool.waitMs({}, false), tool.waitMs({}, true)]).toEqual([10_000, 2_000]);
  });

  it("waits for as long as it is asked to, and at most 45 seconds", () => {
    expect([tool.waitMs({ wait_s: 20 }, true), tool.waitMs({ wait_s: 0 }, false)]).toEqual([20_000, 0]);
    expect([tool.waitMs({ wait_s: 46 }, false), tool.waitMs({ wait_s: 1e9 }, true)]).toEqual([45_000, 45_000]);
  });
});

describe("a service", () => {
  it("is waited for until it is up, by clients with tasks too: a task of it would not end", () => {
    const [runCommand] = tools;
    const args = { command: "serve", ready: { port: 80 } };
    expect(runCommand?.waitMs(args, true)).toBe(10_000);
    expect(runCommand?.startedWhen?.(args)).toEqual({ phase: "ready" });
    expect(runCommand?.startedWhen?.({ command: "build" })).toBeUndefined();
  });
});

describe("analyze_page", () => {
  it("asks a model for the address of a page, which a program may leave out if it has the HTML", () => {
    const listed = tools.find(({ name }) => name === "analyze_page")?.listedInput ?? z.never();
    const { properties, required } = z.toJSONSchema(listed, { io: "input" });
    expect(Object.keys(properties ?? {})).toEqual(["url", "features", "preset", "respect_robots", "name", "wait_s"]);
    expect(required).toEqual(["url"]);
  });
});

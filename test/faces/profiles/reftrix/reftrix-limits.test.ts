import { Client } from "@modelcontextprotocol/client";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { analyzeInput } from "../../../../src/faces/profiles/reftrix/tools/analyze-input.ts";
import { toPageRequest } from "../../../../src/faces/profiles/reftrix/page-request.ts";
import { cleanPage } from "../../../kinds/page/pages.ts";
import { startSite } from "../../../kinds/page/site.ts";
import { hasBrowser } from "../../../kinds/page/world.ts";
import { until } from "../../../until.ts";
import { openTransport } from "../../mcp/official-client.ts";
import { startServer, type ServerProcess } from "../../mcp/server-process.ts";

type Reply = Record<string, unknown>;

/** A page of which one link is not answered, which keeps the phase quality busy until it is. */
async function startSlowSite(): Promise<{ url: string; answer: () => void }> {
  let isAnswered = false;
  const { url } = await startSite({
    "/": cleanPage.replace("<footer>", '<footer><a href="/slow">Slow</a>'),
    "/slow": (_request, response) => (isAnswered ? void response.end("x") : undefined),
    "/never": () => undefined,
  });
  return { url, answer: () => void (isAnswered = true) };
}

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "longhaul-reftrix-"));
  writeFileSync(
    join(home, "config.json"),
    JSON.stringify({ net: { allow: ["127.0.0.1"] }, browser: { max_pages: 5 } }),
  );
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** A server with the profile, and what its tools answer. */
async function openProfile(
  home: string,
  variables: Record<string, string> = {},
): Promise<{ server: ServerProcess; call: (name: string, args?: Reply) => Promise<Reply> }> {
  const server = await startServer(home, variables);
  const client = new Client({ name: "drop-in", version: "0.0.0" });
  await client.connect(openTransport({ ...server, url: `${server.url}/reftrix` }, "http", server.token));
  onTestFinished(async () => {
    await client.close().catch(() => undefined);
    await server.kill("SIGTERM");
  });
  const call = async (name: string, args: Reply = {}): Promise<Reply> =>
    (await client.callTool({ name, arguments: args }, { timeout: 55_000 })).structuredContent as Reply;
  return { server, call };
}

describe("the time limits of the profile reftrix", () => {
  it("are those of the phases, the motion's own before the general one", () => {
    const request = (more: Reply): Reply => toPageRequest(analyzeInput.parse({ url: "https://example.org/", ...more }));
    expect(request({})).toMatchObject({
      timeouts_ms: { load: 60_000, layout: 120_000, motion: 300_000, quality: 60_000, total: 600_000 },
      accept: "partial",
      attempts: 3,
    });
    const given = { timeout: 20_000, layoutTimeout: 6_000, motionTimeout: 7_000, qualityTimeout: 8_000 };
    const timeouts = { load: 20_000, layout: 6_000, quality: 8_000, total: 20_000 };
    expect(request(given)).toMatchObject({ timeouts_ms: { ...timeouts, motion: 7_000 } });
    expect(request({ ...given, motionOptions: { timeout: 30_000 } })).toMatchObject({
      timeouts_ms: { motion: 30_000 },
    });
    expect(request({ timeout_strategy: "strict" })).toMatchObject({ accept: "in_time" });
    expect(request({ timeout_strategy: "strict", partial_results: false })).toMatchObject({ accept: "complete" });
    expect(request({ auto_retry: false })).toMatchObject({ attempts: 1 });
  });

  it("end a phase or the call, as the client wishes; without a browser the HTML is read and that is said", async () => {
    const { url } = await startSlowSite();
    const { call } = await openProfile(makeHome(), { LONGHAUL_BROWSER: "/nowhere/chromium" });
    const analyze = (more: Reply = {}, path = "/"): Promise<Reply> =>
      call("page.analyze", { url: `${url}${path}`, async: false, auto_retry: false, qualityTimeout: 5_000, ...more });
    const late = { success: false, error: { code: "TIMEOUT_ERROR" } };
    const [part, strict, whole, unanswered, started] = await Promise.all([
      analyze({ motionOptions: { enable_frame_capture: true } }),
      analyze({ timeout_strategy: "strict" }),
      analyze({ partial_results: false }),
      analyze({ timeout: 5_000 }, "/never"),
      analyze({ partial_results: false, async: true }),
    ]);
    expect(part).toMatchObject({
      success: true,
      data: {
        layout: { success: true },
        motion: { success: true, frame_capture_error: { code: "FRAME_CAPTURE_ERROR" } },
        quality: { success: false, error: { message: "The phase quality was not done within 5 s." } },
        execution_status: {
          failed_phases: ["quality"],
          timedout_phases: ["quality"],
          timeout_occurred: true,
          original_timeout_ms: 600_000,
        },
        warnings: expect.arrayContaining([
          { feature: "quality", code: "TIMEOUT_ERROR", message: "The phase quality was not done within 5 s." },
          {
            feature: "layout",
            code: "PLAYWRIGHT_NOT_AVAILABLE",
            message: expect.stringContaining("There is no program at /nowhere/chromium") as string,
          },
        ]) as unknown[],
      },
    });
    expect(strict).toMatchObject(late);
    expect(whole).toMatchObject(late);
    expect(unanswered).toMatchObject(late);
    const status = (): Promise<Reply> => call("page.getJobStatus", { job_id: started["jobId"] });
    await until(async () => ((await status())["data"] as Reply)["status"] === "failed");
    expect(await status()).toMatchObject({ data: { failedReason: "The phase quality was not done within 5 s." } });
    expect(await call("system.health")).toMatchObject({
      data: {
        status: "degraded",
        services: {
          initialization: { errors: [{ category: "browser" }] },
          tools: { "page.analyze": { mode: "fallback" }, "system.health": { mode: "full" } },
        },
      },
    });
  });
});

describe.skipIf(!hasBrowser)("the progress of a job in the profile reftrix", () => {
  it("never goes back, also when the server is killed and the job is queued again", async () => {
    const { url, answer } = await startSlowSite();
    const home = makeHome();
    const first = await openProfile(home);
    const { jobId } = await first.call("page.analyze", {
      url: `${url}/`,
      async: true,
      features: { layout: false, motion: false },
      responsiveOptions: { enabled: false },
    });
    const seen: number[] = [];
    const look = async ({ call }: typeof first): Promise<Reply> => {
      const { data } = (await call("page.getJobStatus", { job_id: jobId })) as { data: Reply };
      seen.push(Number(data["progress"]));
      // The server is to have time for the job, too.
      await setTimeout(50);
      return data;
    };
    await until(async () => (await look(first))["currentPhase"] === "quality");
    await first.server.kill("SIGKILL");
    answer();
    const before = seen.length;
    const second = await openProfile(home);
    await until(async () => (await look(second))["status"] === "completed");
    expect(seen[before - 1]).toBeGreaterThanOrEqual(50);
    expect(seen.length).toBeGreaterThan(before + 1);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(100);
  });
});

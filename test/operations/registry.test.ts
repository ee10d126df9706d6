import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineKind, type Engine } from "../../src/index.ts";
import type { Contract } from "../../src/job/contract.ts";
import { agentContract } from "../../src/kinds/agent/contract.ts";
import { crawlContract } from "../../src/kinds/crawl/contract.ts";
import { endpointContract } from "../../src/kinds/endpoint/contract.ts";
import { pageContract } from "../../src/kinds/page/contract.ts";
import { shellContract } from "../../src/kinds/shell/contract.ts";
import { operations } from "../../src/operations/registry.ts";
import { refusal, useWorld } from "../engine/world.ts";
import { server } from "./call.ts";

const world = useWorld();

async function call(engine: Engine, name: string, input: unknown): Promise<unknown> {
  return operations.find((known) => known.name === name)?.call({ engine, actor: {}, server }, input);
}

describe("the operations", () => {
  it("are these and no others", () => {
    expect(operations.map(({ name }) => name).toSorted()).toEqual([
      "agent_check",
      "agent_digest",
      "agent_turns",
      "analyze_page",
      "attempt_artifact",
      "attempt_ask",
      "attempt_progress",
      "batch_get",
      "batch_list",
      "crawl_pages",
      "crawl_site",
      "crawl_visits",
      "endpoint_health",
      "endpoint_list",
      "endpoint_purge",
      "inbox_list",
      "job_answer",
      "job_artifact",
      "job_cancel",
      "job_count",
      "job_delete",
      "job_events",
      "job_failures",
      "job_get",
      "job_list",
      "job_output",
      "job_rerun",
      "job_resize",
      "job_result",
      "job_retry",
      "job_seen",
      "job_send",
      "job_series",
      "job_stats",
      "job_submit",
      "job_summary",
      "job_wait",
      "jobs_prune",
      "kind_list",
      "kind_pause",
      "kind_resume",
      "library_code",
      "library_list",
      "library_remove",
      "library_search",
      "library_show",
      "live_read",
      "machine_list",
      "map_site",
      "me_get",
      "notify_test",
      "page_browse",
      "page_compare",
      "page_extract",
      "page_markdown",
      "page_screenshot",
      "run_agent",
      "run_agents",
      "run_command",
      "run_endpoint",
      "schedule_add",
      "schedule_delete",
      "schedule_get",
      "schedule_list",
      "schedule_pause",
      "schedule_resume",
      "schedule_run",
      "search_extract",
      "server_status",
      "session_code",
      "session_list",
      "session_revoke",
      "token_create",
      "token_list",
      "token_revoke",
      "web_search",
      "webhook_list",
      "webhook_redeliver",
    ]);
  });

  it.each(operations)(
    "can be told to every face as JSON schemas, with a sentence on what they do: $name",
    (operation) => {
      expect(z.toJSONSchema(operation.input, { io: "input" })).toMatchObject({ type: "object" });
      expect(z.toJSONSchema(operation.output, { io: "output" })).toMatchObject({ type: "object" });
      expect(operation.description).toMatch(/^[A-Z].*\.$/);
    },
  );
});

describe("bad input", () => {
  const answer = { action: "accept" };
  const plan = { name: "nightly", cron: "0 3 * * *", input: { command: "true" } };
  const cases: [string, unknown, string][] = [
    ["run_command", { command: 5 }, "command"],
    ["run_command", { command: "true", nonsense: 1 }, "nonsense"],
    ["run_command", { command: "true", attempts: 0 }, "attempts"],
    ["run_command", { command: "true", tags: ["a", ""] }, "tags.1"],
    ["run_command", { command: "true", timeout_ms: 1.5 }, "timeout_ms"],
    ["run_command", { argv: "ls" }, "argv"],
    ["run_command", { command: "true", shell: "fish" }, "shell"],
    ["run_command", { command: "true", ready: { prot: 1 } }, "ready.prot"],
    ["job_submit", {}, "jobs"],
    ["job_submit", { jobs: [] }, "jobs"],
    ["job_submit", { jobs: [{ input: {} }] }, "jobs.0.kind"],
    ["job_submit", { jobs: [{ kind: "shell" }, { kind: "shell", attempts: 0 }] }, "jobs.1.attempts"],
    ["job_submit", { jobs: [{ kind: "shell", nonsense: 1 }] }, "jobs.0.nonsense"],
    ["job_result", {}, "id"],
    ["batch_list", { limit: 201 }, "limit"],
    ["batch_get", {}, "batch"],
    ["kind_list", { kind: "shell" }, "kind"],
    ["crawl_site", { urls: [] }, "urls"],
    ["crawl_site", { urls: ["ftp://a.example/"] }, "urls.0"],
    ["crawl_site", { urls: ["https://a.example/"], max_pages: 0 }, "max_pages"],
    ["crawl_site", { urls: ["https://a.example/"], pagination: { type: "guess" } }, "pagination.type"],
    ["library_search", { limit: 51 }, "limit"],
    ["library_search", { kind: "mood" }, "kind"],
    ["library_code", { id: "x", component_name: "lower" }, "component_name"],
    ["library_list", { cursor: 0 }, "cursor"],
    ["map_site", { url: "a.example" }, "url"],
    ["page_markdown", { url: "https://a.example/", fields: ["pdf"] }, "fields.0"],
    ["page_browse", { url: "https://a.example/", actions: [] }, "actions"],
    ["web_search", { query: " " }, "query"],
    ["crawl_pages", { id: "x", cursor: -1 }, "cursor"],
    ["crawl_pages", { id: "x", fields: ["secrets"] }, "fields.0"],
    ["run_endpoint", { input: {} }, "endpoint"],
    ["run_endpoint", { endpoint: "x" }, "input"],
    ["run_endpoint", { endpoint: "x", input: [] }, "input"],
    ["run_endpoint", { endpoint: "x", input: {}, policy: { ttl: "long" } }, "policy.ttl"],
    ["run_endpoint", { endpoint: "x", input: {}, s3Config: { accessId: "a" } }, "s3Config.accessSecret"],
    ["endpoint_list", { all: true }, "all"],
    ["endpoint_health", {}, "endpoint"],
    ["endpoint_purge", { endpoint: 1 }, "endpoint"],
    ["job_get", {}, "id"],
    ["job_get", { id: "" }, "id"],
    ["job_get", "x", "The input of job_get"],
    ["job_list", { limit: 0 }, "limit"],
    ["job_list", { limit: 1_001 }, "limit"],
    ["job_list", { state: ["done"] }, "state.0"],
    ["job_list", { state: [] }, "state"],
    ["job_list", { created_from: "yesterday" }, "created_from"],
    ["job_list", { nonsense: 1 }, "nonsense"],
    ["job_count", { kind: [] }, "kind"],
    ["job_count", { finished_from: "yesterday" }, "finished_from"],
    ["job_series", { last: "2h" }, "last"],
    ["job_failures", { state: ["failed"] }, "state"],
    ["live_read", { wait_ms: 60_001 }, "wait_ms"],
    ["job_wait", { ids: [] }, "ids"],
    ["job_wait", { ids: ["x"], for: "most" }, "for"],
    ["job_wait", { ids: ["x"], until: "lunch" }, "until"],
    ["job_wait", { ids: ["x"], timeout_ms: -1 }, "timeout_ms"],
    ["job_output", { id: "x", limit: 1_000_001 }, "limit"],
    ["job_output", { id: "x", from: -1 }, "from"],
    ["job_output", { id: "x", tail: 0 }, "tail"],
    ["job_output", { id: "x", encoding: "latin1" }, "encoding"],
    ["job_output", { id: "x", wait_ms: 60_001 }, "wait_ms"],
    ["job_events", { id: "x", after: "y" }, "after"],
    ["inbox_list", { limit: 0 }, "limit"],
    ["inbox_list", { owner: "ann" }, "owner"],
    ["job_seen", { ids: [] }, "ids"],
    ["job_seen", { all: false }, "all"],
    ["job_send", { id: "x" }, "text"],
    ["job_resize", { id: "x", columns: 0, rows: 24 }, "columns"],
    ["job_answer", { id: "x" }, "answer"],
    ["job_answer", { id: "x", answer: { action: "maybe" } }, "answer.action"],
    ["job_answer", { id: "x", answer, nonsense: 1 }, "nonsense"],
    ["job_cancel", { ids: [] }, "ids"],
    ["job_cancel", { ids: ["x"], filter: { nonsense: 1 } }, "filter.nonsense"],
    ["job_retry", { filter: { state: "failed" } }, "filter.state"],
    ["run_command", { command: "true", webhook: {} }, "webhook.url"],
    ["run_command", { command: "true", webhook: { url: "https://a.example", on: ["start"] } }, "webhook.on.0"],
    ["run_command", { command: "true", notify: "desktop" }, "notify"],
    ["run_command", { command: "true", notify: ["carrier-pigeon"] }, "notify"],
    ["run_command", { command: "true", notify: ["https://a.example"], notify_on: ["sunrise"] }, "notify_on.0"],
    ["notify_test", { notify: "carrier-pigeon" }, "notify"],
    ["webhook_list", { state: "lost" }, "state"],
    ["webhook_list", { limit: 0 }, "limit"],
    ["webhook_redeliver", { ids: ["x"] }, "ids"],
    ["kind_pause", {}, "kind"],
    ["kind_resume", { kind: 1 }, "kind"],
    ["jobs_prune", { all: true }, "all"],
    ["server_status", { verbose: true }, "verbose"],
    ["schedule_add", { ...plan, cron: "0 3 * *" }, "cron"],
    ["schedule_add", { ...plan, cron: "60 3 * * *" }, "cron"],
    ["schedule_add", { ...plan, cron: "0 0 30 2 *" }, "cron"],
    ["schedule_add", { ...plan, tz: "Europe/Berln" }, "tz"],
    ["schedule_add", { ...plan, tz: "" }, "tz"],
    ["schedule_add", { ...plan, name: "" }, "name"],
    ["schedule_add", { ...plan, name: "a\nb" }, "name"],
    ["schedule_add", { ...plan, missed: "twice" }, "missed"],
    ["schedule_add", { ...plan, start: "run_nothing" }, "start"],
    ["schedule_add", { ...plan, input: { command: 5 } }, "command"],
    ["schedule_add", { ...plan, input: { nonsense: 5 } }, "nonsense"],
    ["schedule_add", { name: "n", every_ms: 1, input: {} }, "every_ms"],
    ["schedule_get", {}, "schedule"],
    ["schedule_run", { schedule: "n", force: true }, "force"],
  ];

  it("is refused in one sentence that names the field, and makes nothing", async () => {
    const contracts: readonly Contract[] = [
      shellContract,
      agentContract,
      pageContract,
      crawlContract,
      endpointContract,
    ];
    const engine = await world().open(
      contracts.map((contract) => defineKind({ ...contract, onInterrupt: "fail", run: () => expect.unreachable() })),
    );
    for (const [name, input, field] of cases) {
      const escaped = field.replaceAll(/\.(\d+)/g, "\\[$1\\]").replaceAll(/\.(?!\d)/g, "\\.");
      const sentence = new RegExp(`^${escaped} (must|is) .+[^.]\\.$`);
      await expect(call(engine, name, input), `${name} ${JSON.stringify(input)}`).rejects.toMatchObject(
        refusal("invalid_input", sentence),
      );
    }
    expect(await engine.count()).toEqual([]);
    expect(await engine.pausedKinds()).toEqual([]);
    expect(await engine.schedules.list()).toEqual([]);
  });

  it("comes back as a rejected promise, as every other refusal does", async () => {
    const engine = await world().open([]);
    const get = operations.find(({ name }) => name === "job_get");
    const refused = get?.call({ engine, actor: {}, server }, {}).catch((error: unknown) => error);
    expect(await refused).toMatchObject(refusal("invalid_input"));
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { FakeModels } from "../kinds/agent/fake-models.ts";
import { makeHome, serveHere } from "./server-here.ts";

const key = "the-key-of-the-search-engine";

it("one search engine serves agents and crawl jobs, and its key is in nothing that is shown or kept", async () => {
  const engine = createServer(({ url = "", headers }, response) => {
    const told = `with ${String(headers["x-subscription-token"])}`;
    response.statusCode = url.includes("q=refused") ? 401 : 200;
    response.end(JSON.stringify({ error: told, web: { results: [{ title: told, url: `https://a.example/${key}` }] } }));
  });
  await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve));
  const models = await FakeModels.open();
  onTestFinished(async () => {
    engine.close();
    await models.close();
  });
  const base = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`;
  const home = makeHome({
    search: { engine: "brave", api_key: key, base_url: base },
    agent: {
      providers: { fake: { type: "openai-compatible", base_url: models.url } },
      classes: { standard: "fake/m" },
    },
  });
  const { local, log, stop } = await serveHere(home);
  models.script("m", { calls: [{ name: "web_search", input: { query: "lamps" } }] }, ({ said }) => ({ text: said }));
  const calls: [string, object][] = [
    ["web_search", { query: "lamps" }],
    ["web_search", { query: "refused" }],
    ["run_agent", { task: "Search.", read_only: true }],
  ];
  const shown: unknown[] = [];
  for (const [operation, input] of calls) {
    const { id } = await local.start(operation, input);
    shown.push(await local.call("job_wait", { ids: [id], timeout_ms: 50_000 }), await local.call("job_get", { id }));
    shown.push(await local.call("job_events", { id }), await local.call("job_output", { id }));
  }
  shown.push(await local.call("job_list", {}), await local.call("server_status", {}), log());
  expect(JSON.stringify(shown)).toContain("with [redacted]");
  expect(JSON.stringify(shown)).toContain("status 401");
  expect(JSON.stringify(shown)).not.toContain(key);
  expect(models.heard[1]?.said).not.toContain(key);
  await stop();
  const files = readdirSync(home, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== "config.json")
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files.filter((file) => readFileSync(file, "latin1").includes(key))).toEqual([]);
});

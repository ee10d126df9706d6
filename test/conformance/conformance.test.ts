import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { installTimeoutMs } from "../install-package.ts";
import { createFixtureEndpoint, listenForTests, type FixtureServer } from "./fixture-server.ts";
import { kinds } from "./job-tools.ts";
import { installSuite, runSuite, suiteRuns } from "./run-suite.ts";

/** The harness of this scenario checks nothing: it reports itself as skipped, whatever the server does. */
const emptyScenario = "tasks-status-notifications";

describe("the official conformance suite finds nothing to fault", () => {
  let home = "";
  let engine: Engine;
  let server: FixtureServer;

  beforeAll(installSuite, installTimeoutMs);
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "longhaul-conformance-home-"));
    engine = await openEngine({ home, kinds });
    server = await listenForTests(createFixtureEndpoint(engine));
  });
  afterAll(async () => {
    await server.close();
    await engine.stop();
    await rm(home, { recursive: true, force: true });
  });

  // Each run waits for the server's jobs most of the time.
  it.concurrent.each(suiteRuns.map((run) => ({ run, title: `${run.name} ${run.args.join(" ")}` })))(
    "in $title",
    { timeout: 180_000 },
    async ({ run }) => {
      const results = await runSuite(run, server.url);
      expect(results.flatMap(({ scenario, problems }) => problems.map((problem) => `${scenario}: ${problem}`))).toEqual(
        [],
      );
      const idle = results.filter(({ passed }) => passed === 0).map(({ scenario }) => scenario);
      expect(idle.filter((scenario) => scenario !== emptyScenario)).toEqual([]);
    },
  );
});

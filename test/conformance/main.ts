import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "../../src/index.ts";
import { createFixtureEndpoint, listenForTests } from "./fixture-server.ts";
import { kinds } from "./job-tools.ts";
import { installSuite, runSuite, suiteRuns } from "./run-suite.ts";

/** `npm run conformance [part of a run's name or arguments]`: one line per scenario, exit code 1 if a check failed. */
const [, , wanted = ""] = process.argv;
await installSuite();
const home = await mkdtemp(join(tmpdir(), "longhaul-conformance-home-"));
const engine = await openEngine({ home, kinds });
const server = await listenForTests(createFixtureEndpoint(engine));
const total = { passed: 0, failed: 0 };
for (const run of suiteRuns.filter(({ name, args }) => `${name} ${args.join(" ")}`.includes(wanted))) {
  for (const { scenario, passed, failed, skipped, problems } of await runSuite(run, server.url)) {
    const mark = failed > 0 ? "✗" : passed > 0 ? "✓" : "–";
    console.log(`${mark} ${run.name}  ${scenario}  ${passed} passed, ${failed} failed, ${skipped} skipped`);
    for (const problem of problems) console.log(`    ${problem}`);
    total.passed += passed;
    total.failed += failed;
  }
}
await server.close();
await engine.stop();
await rm(home, { recursive: true, force: true });
console.log(`${total.passed} checks passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

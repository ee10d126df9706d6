import { createPatternPool } from "../../src/text/pattern-pool.ts";
import { join } from "node:path";
import { loadConfig } from "../../src/config/config.ts";
import type { Engine, Job } from "../../src/index.ts";
import { withoutIsolation } from "../../src/kinds/shell/isolation.ts";
import { Launcher } from "../../src/kinds/shell/launcher.ts";
import { inheritEnv } from "../../src/kinds/shell/policy.ts";
import { createShellKind } from "../../src/kinds/shell/shell.ts";
import { openEngine } from "../../src/server/open-engine.ts";
import { createRedactor, secretValues } from "../../src/text/redact.ts";

/** How many commands Longhaul and its peers run at once. */
export const concurrency = 8;

/** An engine in this process with the shell kind as the server builds it, by the default configuration. */
export async function withShellEngine<T>(home: string, work: (engine: Engine) => Promise<T>): Promise<T> {
  const config = loadConfig({}, { ...process.env, LONGHAUL_HOME: home, LONGHAUL_CONFIG: join(home, "config.json") });
  const launcher = new Launcher(inheritEnv(config.shell.inherit_env, config.env));
  const shell = createShellKind({
    patterns: createPatternPool(),
    launcher,
    redactor: createRedactor(secretValues(config.env)),
    isolation: withoutIsolation(),
    shell: config.shell.shell,
    concurrency,
    termGraceMs: config.shell.term_grace_ms,
    policy: { allow: [], deny: [], roots: [], defaultCwd: home },
  });
  const outputCapBytes = config.shell.output_cap_mb * 1_000_000;
  const engine = await openEngine({ home, kinds: [shell], outputCapBytes });
  try {
    return await work(engine);
  } finally {
    await engine.stop();
    await launcher.close();
  }
}

/** Runs a command so many times; resolves when all have succeeded, by the word of the store. */
export async function runMany(engine: Engine, command: string, times: number): Promise<readonly Job[]> {
  const requests = Array.from({ length: times }, () => ({ kind: "shell", input: { command } }));
  const submitted = await engine.submitMany(requests);
  const { jobs } = await engine.wait(submitted.map(({ id }) => id));
  const failed = jobs.find(({ state }) => state.status !== "succeeded");
  if (failed !== undefined) throw new Error(`"${command}" ended as ${failed.state.status}.`);
  return jobs;
}

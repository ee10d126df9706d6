import { parseArgs } from "node:util";
import { runClusterChaos } from "./cluster/run.ts";

/** `npm run chaos -- --cluster [--minutes 10] [--seed N]`: exits with 1 when a promise was broken. */
async function main(): Promise<number> {
  const options = { cluster: { type: "boolean" }, minutes: { type: "string" }, seed: { type: "string" } } as const;
  const { cluster = false, minutes = "10", seed = String(Date.now() % 1_000_000) } = parseArgs({ options }).values;
  if (!cluster || !(Number(minutes) > 0) || !Number.isInteger(Number(seed))) {
    console.error("Expected: npm run chaos -- --cluster [--minutes 10] [--seed 1]");
    return 2;
  }
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stopping.abort(new Error(name)));
  const startedAt = performance.now();
  const log = (line: string): void =>
    console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} ${line}`);
  log(`seed ${seed}`);
  const durationMs = Number(minutes) * 60_000;
  const { jobs, troubles, broken } = await runClusterChaos({
    durationMs,
    seed: Number(seed),
    log,
    signal: stopping.signal,
  });
  for (const sentence of broken.slice(0, 50)) log(`BROKEN: ${sentence}`);
  log(
    `${jobs} jobs, ${JSON.stringify(troubles)}: ${broken.length === 0 ? "all promises kept" : `${broken.length} broken`}`,
  );
  return broken.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { until } from "../../until.ts";
import { endProcess, listServers, makeCli, type Cli } from "./cli.ts";

const times = 20;
const atOnce = 4;

it("two commands that start a server at once end up with one, twenty times over", async () => {
  const starts = Array.from({ length: times }, () => makeCli());
  for (let index = 0; index < times; index += atOnce) {
    await Promise.all(starts.slice(index, index + atOnce).map(startTwice));
  }
  const logs = starts.map(({ home }) => readFileSync(join(home, "server.log"), "utf8"));
  expect(logs.map((log) => log.match(/server started/g)?.length)).toEqual(Array(times).fill(1));
});

async function startTwice(cli: Cli): Promise<void> {
  const paused = { paused_kinds: ["shell"] };
  expect(await Promise.all([cli.json(["pause", "shell"]), cli.json(["pause", "shell"])])).toEqual([paused, paused]);
  await until(() => listServers(cli.home).length === 1);
  expect(listServers(cli.home)).toEqual([cli.serverPid()]);
  await endProcess(cli.serverPid() ?? 0);
}

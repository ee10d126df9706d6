import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeMachine } from "../../bench/machine.ts";
import { claudeCode, claudePrint } from "./drivers/claude-code.ts";
import { codex } from "./drivers/codex.ts";
import type { Driver } from "./drivers/driver.ts";
import { gemini } from "./drivers/gemini.ts";
import { opencode } from "./drivers/opencode.ts";
import { copyLonghaul, install } from "./install.ts";
import { connectCold, connectWarm } from "./scenarios/connecting.ts";
import { longJob, questionAsked, taskPanel } from "./scenarios/following.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { continued, killedBetweenCalls, killedDuringCall, rebooted, upgraded } from "./scenarios/surviving.ts";
import { clientFolder, largeOutput, plainTools, whatIsShown } from "./scenarios/tools.ts";
import { formatCells, type Cell } from "./table.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";

const drivers: readonly Driver[] = [claudeCode, claudePrint, codex, opencode, gemini];
const scenarios: readonly Scenario[] = [
  connectCold,
  connectWarm,
  plainTools,
  whatIsShown,
  clientFolder,
  taskPanel,
  longJob,
  questionAsked,
  killedBetweenCalls,
  killedDuringCall,
  upgraded,
  continued,
  largeOutput,
  rebooted,
];

const { values } = parseArgs({
  options: { client: { type: "string", multiple: true }, scenario: { type: "string", multiple: true } },
});
const isChosen = (name: string, words: readonly string[] | undefined): boolean =>
  words?.some((word) => name.toLowerCase().includes(word.toLowerCase())) ?? true;
const chosenDrivers = drivers.filter(({ title }) => isChosen(title, values.client));
const chosenScenarios = scenarios.filter(({ name }) => isChosen(name, values.scenario));

const conditions = await describeMachine();
const cells: Cell[] = [];
// A copy, so that a build under way disturbs nothing.
const build = mkdtempSync(join(tmpdir(), "longhaul-clients-"));
copyLonghaul(".", build);
process.once("exit", () => rmSync(build, { recursive: true, force: true }));
for (const driver of chosenDrivers) {
  const installed = await install(driver.client, driver.packageName, driver.version);
  for (const scenario of chosenScenarios) {
    const cell =
      "missing" in installed
        ? { result: "missing" as const, detail: installed.missing, seconds: 0 }
        : await tryScenario(driver, scenario, installed.folder);
    cells.push({ client: `${driver.title} ${driver.version}`, scenario: scenario.name, ...cell });
    console.error(`${driver.title}: ${scenario.name}: ${cell.result} (${cell.seconds} s) ${cell.detail}`);
  }
}
const isWhole = values.client === undefined && values.scenario === undefined;
const table = formatCells(cells);
console.log(table);
if (isWhole) {
  mkdirSync("bench/results", { recursive: true });
  const content = { date: new Date().toISOString(), conditions, cells };
  writeFileSync("bench/results/clients.json", `${JSON.stringify(content, null, 2)}\n`);
}
process.exitCode = cells.some(({ result }) => result === "fail") ? 1 : 0;

async function tryScenario(
  driver: Driver,
  scenario: Scenario,
  folder: string,
): Promise<Pick<Cell, "result" | "detail" | "seconds">> {
  const reason = scenario.notFor?.(driver);
  if (reason !== undefined) return { result: "n/a", detail: reason, seconds: 0 };
  const startedAt = performance.now();
  const sandbox = await openSandbox(build);
  const interrupt = (): void => {
    sandbox.close();
    process.exit(130);
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  const seconds = (): number => Math.round((performance.now() - startedAt) / 100) / 10;
  try {
    await driver.prepare(sandbox);
    if (scenario.isCold !== true) await sandbox.longhaul("ps");
    const detail = await scenario.run({
      driver,
      sandbox,
      play: async (steps, conversation = {}) => {
        sandbox.model.play(steps);
        await driver.converse(sandbox, folder, { prompt: "Do what is to be done.", ...conversation });
      },
    });
    return { result: "pass", detail: inOneLine(detail, sandbox), seconds: seconds() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { result: "fail", detail: inOneLine(message, sandbox), seconds: seconds() };
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    sandbox.close();
  }
}

function inOneLine(text: string, { home, project }: Sandbox): string {
  return text
    .replaceAll(home, "HOME")
    .replaceAll(project, "PROJECT")
    .replaceAll(/[\s─]+/g, " ")
    .trim();
}

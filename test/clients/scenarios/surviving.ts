import { readFileSync } from "node:fs";
import { join } from "node:path";
import { copyLonghaul } from "../install.ts";
import { killAll } from "../processes.ts";
import { killServer, readJson, serverPid, type Sandbox } from "../sandbox.ts";
import { followLongJob, heldCommand, notification, release, startStep, waitStep } from "./long-job.ts";
import { expectText, expectThat, jobIdIn, type Scenario, type ScenarioContext } from "./scenario.ts";

export const killedBetweenCalls: Scenario = {
  name: "kill -9 of the server between two calls",
  run: (context) =>
    survive(context, async () => {
      killServer(context.sandbox);
      release(context.sandbox);
    }),
};

export const killedDuringCall: Scenario = {
  name: "kill -9 of the server during a call",
  run: async (context) => {
    const { sandbox } = context;
    let wasAlive = false;
    const note = await survive(context, async () => {
      // The reply that this holds up makes the client call, and that call is under way when it happens.
      setTimeout(() => {
        wasAlive = serverPid(sandbox) !== undefined;
        if (wasAlive) killServer(sandbox);
        release(sandbox);
      }, 2_000);
    });
    expectThat(wasAlive, "there was no server to kill", "");
    return note;
  },
};

export const upgraded: Scenario = {
  name: "upgrade of the server under a live client",
  run: async (context) => {
    const { sandbox } = context;
    const newer = copyLonghaul(sandbox.longhaulFolder, join(sandbox.home, "..", "newer"), "99.0.0");
    const text = await survive(context, async () => {
      const { code, stderr } = await sandbox.run([process.execPath, newer, "ps"]);
      expectThat(code === 0, "the newer version could not take over", stderr);
      release(sandbox);
    });
    expectText(serverVersion(sandbox), /^99/, "the version of the server");
    return text;
  },
};

export const continued: Scenario = {
  name: "exit and --continue",
  run: async (context) => {
    const { driver, sandbox, play } = context;
    const command = countedCommand(sandbox, heldCommand(sandbox, "echo survived"));
    const before = async (): Promise<void> => release(sandbox);
    await play([startStep(command), { say: "It is running." }]);
    if (driver.hasTasks) {
      await play([{ say: "Going on.", before }, { say: "It has ended." }], { isContinued: true });
      expectText(notification(context), /survived/, "what the model was told at the end");
    } else {
      await play([{ ...waitStep, before }, { say: "It has ended." }], { isContinued: true });
      expectText(sandbox.model.lastResult, /survived/, "job_wait's answer");
    }
    expectOnce(sandbox);
    return "";
  },
};

export const rebooted: Scenario = {
  name: "reboot",
  run: async ({ sandbox, play }) => {
    const command = countedCommand(sandbox, "sleep 300");
    const steps = [startStep(command), { say: "It is running.", before: async () => killAll(sandbox.home) }] as const;
    await play(steps).catch(() => undefined);
    expectThat(serverPid(sandbox) === undefined, "something is still alive", "");
    await play(
      [
        { call: "job_list", input: {} },
        { call: "job_get", input: ({ results }) => ({ id: jobIdIn(results.at(-1) ?? "") }) },
        { call: "run_command", input: { command: "echo afterwards" } },
        { say: "Done." },
      ],
      { isContinued: true },
    );
    const [got = "", ran = ""] = sandbox.model.requests.at(-1)?.results.slice(-2) ?? [];
    expectText(got, /failed|lost|interrupted/, "job_get's answer about the command that was killed");
    expectText(ran, /afterwards/, "run_command's answer");
    expectOnce(sandbox);
    return "";
  },
};

async function survive(context: ScenarioContext, meanwhile: () => Promise<void>): Promise<string> {
  const command = countedCommand(context.sandbox, heldCommand(context.sandbox, "echo survived"));
  const told = await followLongJob(context, { command, meanwhile });
  expectText(told, /survived/, "what the model was told at the end");
  expectOnce(context.sandbox);
  return "";
}

/** A command that leaves a line behind each time that it is started. */
function countedCommand({ project }: Sandbox, command: string): string {
  return `echo started >> ${join(project, "runs")}; ${command}`;
}

function expectOnce({ project }: Sandbox): void {
  const runs = readFileSync(join(project, "runs"), "utf8");
  expectThat(runs === "started\n", "the command was started more than once", runs);
}

function serverVersion({ home }: Sandbox): string {
  return (readJson(join(home, ".local/state/longhaul/server.json")) as { version: string }).version;
}

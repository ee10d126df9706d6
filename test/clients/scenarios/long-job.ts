import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../sandbox.ts";
import type { ModelRequest, Step } from "../model/scripted-model.ts";
import type { Conversation } from "../drivers/driver.ts";
import { jobIdIn, type ScenarioContext } from "./scenario.ts";

/** A command that ends after `release`, however slow everything else is; at the latest after two minutes. */
export function heldCommand({ project }: Sandbox, words: string): string {
  return `for i in $(seq 600); do [ -e ${join(project, "go")} ] && break; sleep 0.2; done; ${words}`;
}

export function release({ project }: Sandbox): void {
  writeFileSync(join(project, "go"), "");
}

export interface LongJob {
  readonly command: string;
  /** What happens while the job runs and the client waits for its model. */
  readonly meanwhile?: () => Promise<void>;
  readonly conversation?: Omit<Conversation, "prompt">;
}

/** Starts a command that takes longer than its call, and returns what the model was told when it had ended. */
export async function followLongJob(
  context: ScenarioContext,
  { command, meanwhile, conversation }: LongJob,
): Promise<string> {
  const { driver, sandbox } = context;
  await context.play([startStep(command), ...endSteps(driver.hasTasks, meanwhile)], conversation);
  return driver.hasTasks ? notification(context) : sandbox.model.lastResult;
}

export function startStep(command: string): Step {
  return { call: "run_command", input: { command, name: "long", wait_s: 1 } };
}

/** With tasks the client tells the model by itself; without, the model waits. */
function endSteps(hasTasks: boolean, before: (() => Promise<void>) | undefined): Step[] {
  const more = before === undefined ? {} : { before };
  if (hasTasks) return [{ say: "It is running.", ...more }, { say: "It has ended." }];
  return [{ ...waitStep, ...more }, { say: "It has ended." }];
}

/** The model waits for the job that it was told of. */
export const waitStep: Step = {
  call: "job_wait",
  input: ({ results }: ModelRequest) => ({ ids: [jobIdIn(results.join("\n"))], timeout_s: 40 }),
};

/** What Claude Code tells its model of a task that has ended. */
export function notification({ sandbox }: ScenarioContext): string {
  const prompt = sandbox.model.requests.at(-1)?.prompt ?? "";
  return prompt.slice(Math.max(0, prompt.lastIndexOf("<task-notification>")));
}

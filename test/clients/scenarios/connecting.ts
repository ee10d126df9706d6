import type { Scenario, ScenarioContext } from "./scenario.ts";
import { expectText } from "./scenario.ts";

export const connectCold: Scenario = {
  name: "connect, no server running",
  isCold: true,
  run: (context) => greet(context),
};

export const connectWarm: Scenario = {
  name: "connect to a running server",
  run: (context) => greet(context),
};

/** The first thing that the model does is a call: whoever has no tools then, or no tasks, is seen. */
async function greet({ driver, sandbox, play }: ScenarioContext): Promise<string> {
  const startedAt = performance.now();
  let askedAt = 0;
  const first = async (): Promise<void> => {
    askedAt = performance.now();
  };
  if (driver.hasTasks) {
    const input = { command: "sleep 4; echo hello", name: "greeting", wait_s: 1 };
    await play([{ call: "run_command", input, before: first }, { say: "It is running." }]);
    expectText(sandbox.model.lastResult, /started server-side task/, "the answer to the first call");
  } else {
    await play([{ call: "run_command", input: { command: "echo hello" }, before: first }, { say: "Done." }]);
    expectText(sandbox.model.lastResult, /hello/, "the answer to the first call");
  }
  return `first question to the model after ${((askedAt - startedAt) / 1_000).toFixed(1)} s`;
}

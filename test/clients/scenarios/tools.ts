import type { ModelRequest } from "../model/scripted-model.ts";
import { expectText, expectThat, jobIdIn, type Scenario } from "./scenario.ts";

export const plainTools: Scenario = {
  name: "plain tools",
  run: async ({ sandbox, play }) => {
    const id = ({ results }: ModelRequest): string => jobIdIn(results.at(-1) ?? "");
    await play([
      { call: "run_command", input: { command: "echo one; echo two", name: "words" } },
      { call: "job_get", input: (request) => ({ id: id(request) }) },
      { call: "job_output", input: (request) => ({ id: id(request), grep: "two" }) },
      { call: "run_command", input: { command: "sleep 300", name: "sleeper", wait_s: 0 } },
      { call: "job_cancel", input: (request) => ({ ids: [id(request)] }) },
      { call: "job_list", input: {} },
      { say: "Done." },
    ]);
    const results = sandbox.model.requests.at(-1)?.results ?? [];
    const [ran = "", got = "", output = "", , cancelled = "", listed = ""] = results;
    expectText(ran, /one[^]*two/, "run_command's answer");
    expectText(got, /succeeded/, "job_get's answer");
    expectText(output, /two/, "job_output's answer");
    expectText(cancelled, /cancel/, "job_cancel's answer");
    expectText(listed, /words[^]*sleeper|sleeper[^]*words/, "job_list's answer");
    return `${results.length} calls`;
  },
};

export const clientFolder: Scenario = {
  name: "commands run in the client's folder",
  run: async ({ sandbox, play }) => {
    await play([{ call: "run_command", input: { command: "pwd" } }, { say: "Done." }]);
    const { lastResult } = sandbox.model;
    expectThat(lastResult.includes(sandbox.project), `it is not ${sandbox.project}`, lastResult);
    return "";
  },
};

export const largeOutput: Scenario = {
  name: "200 MB of output",
  run: async ({ sandbox, play }) => {
    const command = `head -c 200000000 /dev/zero | tr '\\0' x | fold -w 99; echo the very end`;
    await play([{ call: "run_command", input: { command, wait_s: 45 } }, { say: "Done." }]);
    const { lastResult } = sandbox.model;
    expectText(lastResult, /the very end/, "the answer");
    expectThat(lastResult.length < 20_000, `the model was shown ${lastResult.length} characters`, lastResult);
    return `${lastResult.length} characters`;
  },
};

export const whatIsShown: Scenario = {
  name: "what the model is shown",
  run: async ({ sandbox, driver, play }) => {
    const print = `printf 'first\\nsecond\\n'`;
    await play([
      { call: "run_command", input: { command: print } },
      { call: "run_command", input: { command: `${print}; exit 7` } },
      { call: "run_command", input: { command: "sleep 60", name: "runs", wait_s: 0 } },
      { say: "Done." },
    ]);
    const [succeeded = "", failed = "", started = ""] = sandbox.model.requests.at(-1)?.results ?? [];
    const notes = [
      ...shortcomings("success", succeeded),
      ...shortcomings("failure", failed),
      ...(/\bexit(ed with)? code 7\b/.test(failed) ? [] : ["failure: no exit code"]),
      ...(driver.hasTasks || /next|job_wait/.test(started) ? [] : ["running: no next step"]),
    ];
    expectThat(notes.length === 0, notes.join(", "), `${succeeded} / ${failed} / ${started}`);
    return `${succeeded.length} and ${failed.length} characters`;
  },
};

function shortcomings(what: string, text: string): string[] {
  return [
    ...(text.includes("untrusted") ? [] : [`${what}: not labelled as untrusted`]),
    ...(text.includes("first\nsecond") ? [] : [`${what}: no real line ends`]),
    ...(/structuredContent|"exit_code"/.test(text) ? [`${what}: shown as data`] : []),
  ];
}

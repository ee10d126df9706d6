import { followLongJob, heldCommand, notification, release } from "./long-job.ts";
import { expectText, jobIdIn, type Scenario } from "./scenario.ts";

const noTasks = "it has no tasks";

export const taskPanel: Scenario = {
  name: "task with panel",
  notFor: ({ hasTasks }) => (hasTasks ? undefined : noTasks),
  run: async (context) => {
    let panel = "";
    const told = await followLongJob(context, {
      command: heldCommand(context.sandbox, "echo the last line"),
      conversation: {
        user: async (user) => {
          await user.sees(/1 MCP task/);
          // On a slow machine a second press opens it at once.
          await user.presses("Down", /Enter to view|server task/);
          await user.presses("Enter", /server task/);
          panel = await user.sees(/status working/);
          await user.presses("Escape", /to manage/);
          release(context.sandbox);
        },
      },
    });
    expectText(told, /the last line/, "what the model was told at the end");
    return `the panel says: ${/status working[^]*polls every[^\n]*/.exec(panel)?.[0] ?? ""}`;
  },
};

export const longJob: Scenario = {
  name: "long job and job_wait",
  notFor: ({ hasTasks }) => (hasTasks ? "its long jobs are tasks" : undefined),
  run: async (context) => {
    const { sandbox } = context;
    const meanwhile = async (): Promise<void> => release(sandbox);
    const told = await followLongJob(context, { command: heldCommand(sandbox, "echo the last line"), meanwhile });
    expectText(told, /the last line/, "job_wait's answer");
    return "";
  },
};

const question = {
  question: "Which colour shall it be?",
  options: ["red", "green"],
};

export const questionAsked: Scenario = {
  name: "question",
  run: async (context) => {
    const { driver, sandbox, play } = context;
    sandbox.agentModel.play([{ call: "ask_user", input: question }, { say: "The colour is chosen." }]);
    const start = { call: "run_agent", input: { task: "Choose a colour.", wait_s: 2 } };
    if (!driver.hasForms) {
      await play([
        start,
        { call: "job_send", input: ({ results }) => ({ id: jobIdIn(results.join("\n")), text: "green" }) },
        { call: "job_wait", input: ({ results }) => ({ ids: [jobIdIn(results.join("\n"))], timeout_s: 30 }) },
        { say: "Done." },
      ]);
      expectText(sandbox.model.lastResult, /The colour is chosen/, "job_wait's answer");
    } else {
      await play([start, { say: "It is running." }, { say: "It has ended." }], {
        user: async (user) => {
          await user.sees(/Which colour/);
          await user.presses("Up", /❯ .*answer/);
          await user.presses("Right", /green/);
          await user.presses("Down", /❯ .*green/);
          await user.presses("Enter", /answer: green/);
          await user.presses("Down", /❯ Accept/);
          await user.presses("Enter", /auto mode on/);
        },
      });
      expectText(notification(context), /The colour is chosen/, "what the model was told at the end");
    }
    const answer = sandbox.agentModel.lastResult;
    expectText(answer, /green|red/, "what the agent was told");
    return `answered with ${/green|red/.exec(answer)?.[0]}`;
  },
};

import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import type { Heard } from "./fake-models.ts";
import { call, toolResults, useAgents } from "./world.ts";

const world = useAgents();

/** Lets a model make these calls, each in a reply of its own, and gives what the tools said. */
async function play(...calls: readonly (readonly [string, unknown])[]): Promise<string[]> {
  const { models } = world();
  models.script("m", ...calls.map(([name, input]) => call(name, input)), { text: "Done." });
  const job = await world().run();
  expect(job.state).toMatchObject({ status: "succeeded" });
  return toolResults(models.heard.at(-1)?.body ?? {});
}

const answersOf = ({ body }: Heard): string[] => toolResults(body);

describe("the output of a command", () => {
  it("is told by its end, and all of it can be read by offset and by pattern", async () => {
    await world().open();
    const answers = await play(
      ["run_command", { command: "seq -f 'line %g of the long output' 2000; echo oops >&2; exit 3" }],
      ["command_output", { command: 1, from: 0 }],
      ["command_output", { command: 1, from: 12_000 }],
      ["command_output", { command: 1, pattern: "^line 1(00)? of" }],
      ["command_output", { command: 1, stream: "stderr" }],
      ["command_output", { command: 2 }],
    );
    expect(answers[0]).toMatch(/^\[the first \d+ of (\d+) bytes are left out: command_output reads them, command 1\]/);
    expect(answers[0]).toMatch(/line 2000 of the long output\n\[stderr\]\noops\n\[.* exited with code 3\.\]$/);
    const size = Number(/of (\d+) bytes/.exec(answers[0] ?? "")?.[1]);
    expect(answers[1]).toMatch(
      new RegExp(`^line 1 of[^]*\\[bytes 0 to 12000 of ${size}; read on from 12000; .* code 3`),
    );
    expect(answers[2]).toContain(`[bytes 12000 to 24000 of ${size}`);
    const whole = Array.from({ length: 2_000 }, (_, index) => `line ${index + 1} of the long output\n`).join("");
    expect(size).toBe(whole.length);
    expect(answers[3]?.split("\n").slice(0, 2)).toEqual([
      "0: line 1 of the long output",
      `${whole.indexOf("line 100 of")}: line 100 of the long output`,
    ]);
    expect(answers[4]).toContain("oops\n\n[bytes 0 to 5 of 5");
    expect(answers[5]).toBe("There is no command 2: the last one is 1.");
  });
});

describe("a command in the background", () => {
  it("runs on while the agent does other things, takes input, and is waited for", async () => {
    await world().open();
    const answers = await play(
      ["run_command", { command: "echo ready; read -r name; echo hello $name", background: true }],
      ["list", {}],
      ["command_wait", { command: 1, seconds: 0 }],
      ["command_send", { command: 1, text: "Ada" }],
      ["command_wait", { command: 1, seconds: 30 }],
    );
    expect(answers[0]).toBe("Command 1 runs in the background.");
    expect(answers[2]).toContain("[it is still running]");
    expect(answers[3]).toBe("Sent to command 1.");
    expect(answers[4]).toBe("ready\nhello Ada\n[exit code 0]");
  });

  it("is ended when the agent stops it, and when the agent is done", async () => {
    const engine = await world().open();
    const answers = await play(
      ["run_command", { command: "sleep 600", background: true }],
      ["run_command", { command: "sleep 700", background: true }],
      ["command_stop", { command: 1 }],
    );
    expect(answers[2]).toMatch(/cancelled|ended/);
    const { jobs } = await engine.list({ kind: "shell" });
    expect(jobs.map(({ state }) => state.status)).toEqual(["cancelled", "cancelled"]);
  });

  it("is found again by an agent that goes on after a restart", async () => {
    const { models } = world();
    await world().open();
    models.script(
      "m",
      call("run_command", { command: "read -r go; echo went $go", background: true }),
      () => ({ hangs: true, text: "I am th" }),
      call("command_send", { command: 1, text: "on" }),
      call("command_wait", { command: 1, seconds: 30 }),
      { text: "Done." },
    );
    const { id } = await world().submit({});
    await until(() => models.heard.length === 2);
    const engine = await world().reopen();
    expect((await world().end(id)).state).toMatchObject({ status: "succeeded" });
    expect(answersOf(models.heard.at(-1) as Heard).at(-1)).toBe("went on\n[exit code 0]");
    expect((await engine.list({ kind: "shell" })).jobs).toHaveLength(1);
  });
});

describe("the plan", () => {
  it("is the progress of the job", async () => {
    const engine = await world().open();
    const items = ["completed", "completed", "in_progress"].map((status, index) => ({
      content: `part ${index}`,
      status,
    }));
    world().models.script("m", call("todo_list", { items }), { hangs: true, text: "and now" });
    const { id } = await world().submit({});
    const counts = async (): Promise<unknown> => {
      const { state } = await engine.get(id);
      return "progress" in state ? state.progress?.counts : undefined;
    };
    await until(async () => (await counts()) !== undefined);
    expect(await counts()).toEqual({ done: 2, total: 3 });
    await engine.cancel(id);
    await world().end(id);
  });
});

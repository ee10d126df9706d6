import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineKind } from "../../../../src/job/kind.ts";
import { until } from "../../../until.ts";
import { serveHere } from "../../../server/server-here.ts";
import { makeCli, type Cli } from "../cli.ts";
import { hasTmux, Tmux } from "../tmux.ts";

const form = {
  type: "object" as const,
  properties: {
    name: { type: "string" as const, title: "Your name" },
    color: { type: "string" as const, enum: ["red", "green"] },
    count: { type: "integer" as const, default: 7 },
    sure: { type: "boolean" as const },
  },
  required: ["name", "color"],
};

const asker = defineKind({
  name: "asker",
  input: z.object({ form: z.enum(["none", "full"]) }),
  onInterrupt: "resume",
  run: async ({ form: wanted }, context) =>
    context.ask({ message: "What shall \u001b[31mit be?", ...(wanted === "full" ? { form } : {}) }),
});

/** A command line whose server has a kind that asks. */
async function serveAsker(): Promise<Cli> {
  const cli = makeCli();
  await serveHere(cli.home, {}, [asker]);
  return cli;
}

/** The one job that waits for an answer. */
async function waitingJob({ client }: Cli): Promise<string> {
  let ids: string[] = [];
  await until(async () => {
    ids = (await client.call("job_list", { state: ["waiting"] })).jobs.map(({ id }) => id);
    return ids.length === 1;
  });
  return ids[0] ?? "";
}

describe.skipIf(!hasTmux)("on a terminal, a question of a job that is followed", () => {
  it("is asked right there, field by field, and its answer goes to the job", async () => {
    const cli = await serveAsker();
    const terminal = new Tmux(cli.home);
    terminal.enter("longhaul start run-asker --form full");
    await terminal.shows(/^\? What shall \\e\[31mit be\?\nYour name:/m);
    const id = await waitingJob(cli);
    terminal.enter("");
    await terminal.shows(/Your name: \nYour name: /);
    terminal.enter("Ada");
    await terminal.shows(/ {2}1\) red\n {2}2\) green\ncolor: /);
    terminal.enter("blue");
    await terminal.shows(/color: blue\n[^]*color: $/m);
    terminal.enter("2");
    await terminal.shows(/count \[7\]: /);
    terminal.enter("");
    await terminal.shows(/sure \(yes\/no\): /);
    terminal.enter("yes");
    await terminal.shows('"action": "accept"');
    const content = { name: "Ada", color: "green", count: 7, sure: true };
    expect((await cli.client.call("job_result", { id })).result).toEqual({ action: "accept", content });
  });

  it("stays open with Ctrl-C, and is gone from the terminal when it is answered elsewhere", async () => {
    const cli = await serveAsker();
    const terminal = new Tmux(cli.home);
    terminal.enter("longhaul start run-asker --form none");
    await terminal.shows(/it be\?\n>/);
    terminal.press("C-c");
    await terminal.shows(/goes on[^]*\nshell> /);
    const id = await waitingJob(cli);
    await cli.client.call("job_cancel", { ids: [id] });
    terminal.enter("clear; longhaul start run-asker --form none");
    await terminal.shows(/it be\?\n>/);
    expect((await cli.run(["answer", await waitingJob(cli), "--text", "from elsewhere"])).code).toBe(0);
    await terminal.shows('"from elsewhere"');
  });
});

describe("in a pipe, a question of a job that is followed", () => {
  it("is told on stderr once, with how to answer it", async () => {
    const cli = await serveAsker();
    const running = cli.start(["start", "run-asker", "--form", "full"]);
    await until(() => running.stderr().includes("Answer it"));
    const id = await waitingJob(cli);
    const short = id.slice(-8);
    const told = `It asks: What shall \\e[31mit be?\nAnswer it: longhaul answer ${short} a1q1 name=… color=… count=… sure=…\n`;
    expect(running.stderr()).toBe(told);
    await cli.run(["answer", id, "name=Ada", "color=red"]);
    expect(await running.done).toMatchObject({ code: 0, stderr: told });
  });
});

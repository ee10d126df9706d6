import { beforeAll, describe, expect, it } from "vitest";
import type { AnswerOf } from "../../../src/operations/registry.ts";
import { until } from "../../until.ts";
import { ask, serveAsker } from "./asker.ts";
import { makeCli, makeSharedCli, type Cli } from "./cli.ts";

const cli = makeSharedCli();

async function namesIn({ client }: Cli): Promise<(string | undefined)[]> {
  return (await client.call("inbox_list", {})).finished.map(({ name }) => name);
}

/** Runs a command in the background, to its end. */
async function finish(name: string, command = "true"): Promise<string> {
  const id = await cli.detach(command, ["--name", name]);
  await until(async () => (await namesIn(cli)).includes(name));
  return id;
}

describe("an inbox in which there is nothing", () => {
  it("says so", async () => {
    expect(await cli.run(["inbox"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "All caught up: no job asks anything, and none has ended that you have not looked at.\n",
    });
    expect(await cli.json<AnswerOf<"inbox_list">>(["inbox"])).toEqual({ waiting: [], finished: [] });
  });
});

describe("a finished job", () => {
  beforeAll(() => cli.client.call("job_seen", { all: true }).catch(() => undefined));

  it("that ended in the background is listed until it is looked at", async () => {
    await finish("good");
    await finish("bad", "exit 7");
    const { stdout } = await cli.run(["inbox"]);
    expect(stdout).toMatch(
      /^ +ID +ENDED +JOB +OUTCOME\n✗ +[0-9a-f]{8} +now +bad +failed \(7\) after .*\n✓ +[0-9a-f]{8} +.* good +succeeded after .*\n$/,
    );
    expect((await cli.run(["inbox"])).stdout).toContain("bad");
    await cli.run(["show", "bad"]);
    expect(await namesIn(cli)).toEqual(["good"]);
    expect((await cli.run(["inbox", "--clear"])).stdout).toBe("Cleared 1 finished job.\n");
    expect((await cli.run(["inbox", "--clear"])).stdout).toBe("Cleared 0 finished jobs.\n");
    expect(await namesIn(cli)).toEqual([]);
  });

  it("is looked at with show, logs and wait, as JSON too", async () => {
    const words = [
      ["show"],
      ["show", "--json"],
      ["logs"],
      ["logs", "-f"],
      ["logs", "--json"],
      ["wait"],
      ["wait", "--json"],
    ];
    for (const [index, [command = "", ...flags]] of words.entries()) {
      await finish(`seen-${index}`, "echo out; exit 3");
      await cli.run([command, ...flags, `seen-${index}`]);
      expect({ command, flags, left: await namesIn(cli) }).toEqual({ command, flags, left: [] });
    }
    await finish("listed");
    for (const command of [["ps"], ["events", "listed"], ["inbox"]]) await cli.run(command);
    expect(await namesIn(cli)).toEqual(["listed"]);
    await cli.run(["inbox", "--clear"]);
  });

  it("that was in the foreground until its end was looked at, and so was one whose output was followed", async () => {
    expect((await cli.run(["run", "--name", "foreground", "--", "echo hi; exit 3"])).code).toBe(3);
    await cli.run(["run", "--json", "--name", "foreground-json", "--", "true"]);
    await cli.detach("sleep 1", ["--name", "followed"]);
    await cli.run(["logs", "-f", "followed"]);
    const waited = cli.run(["wait", await cli.detach("sleep 1", ["--name", "waited"])]);
    await waited;
    expect(await namesIn(cli)).toEqual([]);
  });

  it("that is waited for in vain, or left with Ctrl-C, is listed when it ends", async () => {
    const id = await cli.detach("sleep 3", ["--name", "left"]);
    expect((await cli.run(["wait", "--timeout", "100ms", id])).code).toBe(124);
    const following = cli.start(["logs", "-f", id]);
    await until(async () => (await cli.client.call("job_get", { id })).state === "running");
    following.process.kill("SIGINT");
    await following.done;
    await until(async () => (await namesIn(cli)).includes("left"), { timeoutMs: 30_000 });
    await cli.run(["inbox", "--clear"]);
  });

  it("is one of a page of them, which says how to go on", async () => {
    for (const name of ["a", "b", "c"]) await finish(name);
    const { stdout, stderr } = await cli.run(["inbox", "--limit", "2"]);
    expect(stdout.split("\n")).toHaveLength(4);
    const [, cursor = ""] = /^More: add --cursor (\S+)\n$/.exec(stderr) ?? [];
    expect((await cli.run(["inbox", "--cursor", cursor])).stdout).toMatch(/ a +succeeded/);
    await cli.run(["inbox", "--clear"]);
  });
});

describe("an open question", () => {
  it("is listed with the command that answers it, until it is answered", async () => {
    const asking = makeCli();
    const engine = await serveAsker(asking);
    const branch = await ask(engine, {
      type: "object",
      properties: { branch: { type: "string" } },
      required: ["branch"],
    });
    const plain = await ask(engine, null);
    const { stdout } = await asking.run(["inbox"]);
    expect(stdout).toBe(
      [
        `? asker asks: Which one?\n  longhaul answer ${plain.slice(-8)}   or with --decline\n`,
        `? asker asks: Which one?\n  longhaul answer ${branch.slice(-8)} branch=…   or with --decline\n`,
      ].join(""),
    );
    await asking.run(["show", branch]);
    await asking.run(["inbox", "--clear"]);
    await asking.run(["answer", branch, "branch=main"]);
    await engine.wait(branch);
    const inbox = await asking.json<AnswerOf<"inbox_list">>(["inbox"]);
    expect(inbox.waiting.map(({ id }) => id)).toEqual([plain]);
    expect(inbox.finished.map(({ id }) => id)).toEqual([branch]);
  });
});

import { mkdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exited, killIfThere, useShell } from "./world.ts";

const world = useShell();

describe("a command line", () => {
  it("runs in a real shell, with pipes, lists, globs, variables and substitution", async () => {
    await world().open();
    for (const name of ["one.txt", "two.txt", "three.md"]) writeFileSync(world().path(name), name);
    const command = `count=$(ls *.txt | wc -l) && echo "$count files" && printf '%s\\n' *.txt | tac; false || echo $((40 + 2))`;
    expect(await world().stdoutOf(command)).toBe("2 files\ntwo.txt\none.txt\n42\n");
  });

  it("runs in bash unless another shell is asked for", async () => {
    await world().open();
    expect(await world().stdoutOf("words=(a b); echo ${#words[@]}")).toBe("2\n");
    const dash = await world().run({ command: 'echo "${BASH_VERSION:-not bash}"', shell: "sh" });
    expect(await world().stdout(dash.id)).toBe("not bash\n");
  });

  it("sees itself as the shell would start it: no arguments, a pid of its own, and its own name for $0", async () => {
    await world().open();
    const job = await world().submit('echo "$# $0 $$" && read -r line');
    await world().untilOutput(job.id, "\n");
    expect(await world().stdout(job.id)).toBe(`0 bash ${await world().pid(job.id)}\n`);
  });

  it("may have many lines, quotes and other characters", async () => {
    await world().open();
    const command = `cat <<'END'\nit's "quoted" \\ $HOME\nÄ 日本 🎉\nEND\n# a comment\necho done`;
    expect(await world().stdoutOf(command)).toBe(`it's "quoted" \\ $HOME\nÄ 日本 🎉\ndone\n`);
  });

  it("tells what the shell has to say of a mistake in it", async () => {
    await world().open();
    const job = await world().run("no-such-program --help");
    expect(job.state).toMatchObject(exited(127));
    expect(await world().stderr(job.id)).toBe("bash: line 1: no-such-program: command not found\n");
  });
});

describe("an argv", () => {
  it("runs without a shell: every word reaches the program as it is", async () => {
    await world().open();
    const words = ["a b", "$HOME", "*", "", "'", '"', "a\nb", ""];
    expect(await world().stdoutOf({ argv: ["printf", "[%s]", ...words] })).toBe(words.map((w) => `[${w}]`).join(""));
  });

  it("is looked for on the PATH of the job", async () => {
    await world().open();
    mkdirSync(world().path("bin"));
    writeFileSync(world().path("bin/greet"), "#!/bin/sh\necho hello $1\n", { mode: 0o755 });
    const path = `${world().path("bin")}:/usr/bin:/bin`;
    expect(await world().stdoutOf({ argv: ["greet", "you"], env: { PATH: path } })).toBe("hello you\n");
  });

  it("that names no program fails with 127 and says so in its output", async () => {
    await world().open();
    const job = await world().run({ argv: ["no-such-program"] });
    expect(job.state).toMatchObject(exited(127));
    expect(await world().stderr(job.id)).toContain("cannot run no-such-program: No such file or directory");
  });
});

describe("the working directory", () => {
  it("is the one asked for, with links resolved, or else the default one", async () => {
    await world().open();
    mkdirSync(world().path("real"));
    symlinkSync(world().path("real"), world().path("link"));
    const show = 'echo "$PWD" && /bin/pwd';
    const at = (folder: string): string => `${folder}\n${folder}\n`;
    expect(await world().stdoutOf(show)).toBe(at(world().base));
    expect(await world().stdoutOf({ command: show, cwd: world().path("link") })).toBe(at(world().path("real")));
    expect(await world().stdoutOf({ argv: ["printenv", "PWD"], cwd: world().path("real") })).toBe(
      `${world().path("real")}\n`,
    );
  });

  it("that has gone by the time the job starts fails the job with a sentence", async () => {
    const engine = await world().open();
    mkdirSync(world().path("soon-gone"));
    await engine.pause("shell");
    const job = await world().submit({ command: "true", cwd: world().path("soon-gone") });
    rmdirSync(world().path("soon-gone"));
    await engine.resume("shell");
    expect((await world().end(job.id)).state).toMatchObject({
      status: "failed",
      failure: { code: "invalid_input", message: expect.stringContaining("must be an existing directory") as string },
    });
  });
});

describe("the environment", () => {
  it("has the job's own variables, which win over inherited ones", async () => {
    await world().open({
      inherit: ["PATH", "COLOUR", "SHAPE"],
      env: { ...process.env, COLOUR: "red", SHAPE: "round" },
    });
    const job = {
      command: 'echo "$COLOUR $SHAPE $SIZE|$EMPTY|$LINES2"',
      env: { COLOUR: "blue", SIZE: "a=b c", EMPTY: "", LINES2: "x\ny" },
    };
    expect(await world().stdoutOf(job)).toBe("blue round a=b c||x\ny\n");
  });

  it("is not touched by what it takes to run the job", async () => {
    await world().open({ inherit: ["PATH"] });
    const names = { mode: "m", folder: "f", stat: "s", boot: "b", id: "i", pid: "p", record: "r" };
    const lines = (await world().stdoutOf({ argv: ["env"], env: names })).trim().split("\n").toSorted();
    const expected = [...Object.entries(names).map(([name, value]) => `${name}=${value}`), `PWD=${world().base}`];
    const own = lines.filter((line) => !line.startsWith("PATH=") && !line.startsWith("LONGHAUL_JOB_"));
    expect(own).toEqual(expected.toSorted());
  });
});

describe("the end of a command", () => {
  it("with code 0 is a success, and the result says so", async () => {
    const engine = await world().open();
    const { id } = await world().run("true");
    expect(await engine.result(id)).toEqual({ exit_code: 0, signal: null });
  });

  it("with any other code is a failure that names it", async () => {
    await world().open();
    const { state } = await world().run("exit 3");
    expect(state).toMatchObject(exited(3));
    expect(state).toMatchObject({ failure: { message: '"exit 3" exited with code 3.' } });
  });

  it("is that of the last command of a list, as in any shell", async () => {
    await world().open();
    expect((await world().run("false; true")).state.status).toBe("succeeded");
    expect((await world().run("true | (exit 4)")).state).toMatchObject(exited(4));
    expect((await world().run("set -e; (exit 5); echo never")).state).toMatchObject(exited(5));
  });

  it("by a signal names the signal", async () => {
    await world().open();
    expect((await world().run("kill -SEGV $$")).state).toMatchObject(exited(139, "SIGSEGV"));
    const job = await world().submit({ argv: ["sleep", "100"] });
    killIfThere(await world().pid(job.id), "SIGKILL");
    const { state } = await world().end(job.id);
    expect(state).toMatchObject(exited(137, "SIGKILL"));
    expect(state).toMatchObject({ failure: { message: '"sleep 100" exited with code 137 (SIGKILL).' } });
  });

  it("leads to another attempt where more than one is allowed, each with output of its own", async () => {
    const engine = await world().open({ engine: { random: () => 0 } });
    const limits = { attempts: 3, backoff: { initialMs: 1, factor: 1, maxMs: 1, jitter: 0 } };
    const job = await world().run("echo try >> tries; test $(wc -l < tries) -eq 3 && echo at last", limits);
    expect(job.state).toMatchObject({ status: "succeeded", attempt: 3 });
    expect(readFileSync(world().path("tries"), "utf8")).toBe("try\ntry\ntry\n");
    expect(await world().stdout(job.id)).toBe("at last\n");
    const first = await engine.readOutput(job.id, { attempt: 1 });
    expect(first.bytes).toHaveLength(0);
  });
});

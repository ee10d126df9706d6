import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JobView } from "../../../src/operations/job-view.ts";
import { until } from "../../until.ts";
import { makeSharedCli } from "./cli.ts";

const cli = makeSharedCli();

describe("run", () => {
  it("passes stdout and stderr on and exits with the command's code, without a word of its own in a pipe", async () => {
    const done = await cli.run(["run", "--", "echo out; echo err >&2; exit 7"]);
    expect(done).toEqual({ code: 7, stdout: "out\n", stderr: "err\n" });
  });

  it("keeps every byte, whether text or not, line end or not", async () => {
    const { stdout } = await cli.run(["run", "--", String.raw`seq 1 20000; printf 'é\0no end'`]);
    const numbers = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("");
    expect(stdout === `${numbers}é\0no end`).toBe(true);
  });

  it("takes one word for a command line and several for a program with its arguments", async () => {
    expect((await cli.run(["run", "--", "echo $((1+1))"])).stdout).toBe("2\n");
    expect((await cli.run(["run", "--", "echo", "$((1+1))", "a  b"])).stdout).toBe("$((1+1)) a  b\n");
    expect((await cli.run(["run", "echo", "-n", "x"])).stdout).toBe("x");
  });

  it("works in this directory unless told otherwise", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "longhaul-cwd-")));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect((await cli.run(["run", "--", "pwd"], { cwd: folder })).stdout).toBe(`${folder}\n`);
    expect((await cli.run(["run", "--cwd", folder, "--", "pwd"])).stdout).toBe(`${folder}\n`);
  });

  it("hands on the variables of whoever runs it, and not those of whoever started the server", async () => {
    const words = ["run", "--", 'echo "${VIRTUAL_ENV-none} ${SOME_SECRET-none}"'];
    await cli.run(["run", "--", "true"], { env: { VIRTUAL_ENV: "/venvs/first" } });
    expect((await cli.run(words, { env: { VIRTUAL_ENV: "/venvs/one", SOME_SECRET: "x" } })).stdout).toBe(
      "/venvs/one none\n",
    );
    const { VIRTUAL_ENV: _own, ...env } = process.env as Record<string, string>;
    expect((await cli.run(words, { env })).stdout).toBe("none none\n");
  });

  it("shows the folder of a job, and nothing of the variables", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "longhaul-cwd-")));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const env = { HTTPS_PROXY: "http://ada:open-sesame@proxy:1" };
    const { stdout } = await cli.run(["run", "-d", "--", "true"], { cwd: folder, env });
    const shown = await cli.run(["show", stdout.trim()]);
    expect(shown.stdout).toMatch(new RegExp(`^in +${folder}$`, "m"));
    const all = await Promise.all(["show", "events"].map((verb) => cli.run([verb, "--json", stdout.trim()])));
    expect(all.map((done) => done.stdout).join("")).not.toMatch(/open-sesame|PATH/);
  });

  it("sets variables, and passes on those that are only named", async () => {
    const words = ["run", "--env", "A=1=2", "--env", "B", "--", 'echo "$A $B"'];
    expect((await cli.run(words, { env: { B: "from here" } })).stdout).toBe("1=2 from here\n");
  });

  it("gives the command the text, or what is piped in, to read to its end", async () => {
    expect((await cli.run(["run", "--stdin", "some text", "--", "wc -c"])).stdout.trim()).toBe("9");
    expect((await cli.run(["run", "--stdin", "-", "--", "cat"], { stdin: "piped\n" })).stdout).toBe("piped\n");
  });

  it("runs on a terminal if asked to", async () => {
    expect((await cli.run(["run", "--pty", "--", "test", "-t", "1"])).code).toBe(0);
    expect((await cli.run(["run", "--", "test -t 1"])).code).toBe(1);
  });

  it("detached prints the id alone", async () => {
    const { code, stdout, stderr } = await cli.run(["run", "--detach", "--name", "quick", "--tag", "a", "--", "true"]);
    expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    expect([code, stderr]).toEqual([0, ""]);
    expect(await cli.json<JobView>(["show", "quick"])).toMatchObject({ id: stdout.trim(), tags: ["a"] });
  });

  it("tries again as often as it is told and shows the output of every attempt", async () => {
    const done = await cli.run(["run", "--retry", "1", "--", "echo try; exit 3"]);
    expect([done.code, done.stdout]).toEqual([3, "try\ntry\n"]);
  });

  it("says why a job ended that has no exit code", async () => {
    const { code, stderr } = await cli.run(["run", "--timeout", "300ms", "--", "sleep 60"]);
    expect(code).toBe(143);
    expect(stderr).toContain("timed out");
  });

  it("exits with 143 when the job is cancelled", async () => {
    const running = cli.start(["run", "--name", "endless", "--", "echo go; sleep 60"]);
    await until(() => running.stdout() === "go\n");
    await cli.run(["cancel", "endless", "--reason", "enough"]);
    const { code, stderr } = await running.done;
    expect(code).toBe(143);
    expect(stderr).toContain("enough");
  });

  it("runs after the jobs it is told to wait for", async () => {
    const first = await cli.detach("sleep 0.3; date +%s%N");
    const { code, stdout } = await cli.run(["run", "--after", first.slice(-8), "--", "date +%s%N"]);
    expect(code).toBe(0);
    expect(Number(stdout)).toBeGreaterThan(Number((await cli.run(["logs", first])).stdout));
  });

  it("with --json prints the finished job with what it wrote, and exits with its code", async () => {
    const { code, stdout } = await cli.run(["run", "--json", "--", "echo hi; echo oh >&2; exit 5"]);
    expect(code).toBe(5);
    const job = JSON.parse(stdout) as object;
    expect(job).toMatchObject({ state: "failed", exit_code: 5, output: { stdout: "hi\n", stderr: "oh\n" } });
    expect(job).not.toHaveProperty("output_cut");
  });

  it("with --json keeps the end of a long output, and says how much it left out", async () => {
    const { stdout } = await cli.run(["run", "--json", "--", "seq 1 200000"]);
    const { output, output_cut: cut } = JSON.parse(stdout) as { output: { stdout: string }; output_cut: number };
    expect(output.stdout.endsWith("\n200000\n")).toBe(true);
    expect(output.stdout.length + cut).toBe(1_288_895);
  });
});

describe("Ctrl-C", () => {
  it("leaves the job running, exits with 130 and says how to get back to it", async () => {
    const running = cli.start(["run", "--", "echo started; sleep 1; echo ended"]);
    await until(() => running.stdout() === "started\n");
    running.process.kill("SIGINT");
    const { code, stderr } = await running.done;
    expect(code).toBe(130);
    const [, id = ""] = /longhaul logs -f ([0-9a-f]{8}) .*longhaul cancel \1/.exec(stderr) ?? [];
    expect((await cli.run(["wait", id])).code).toBe(0);
    expect((await cli.run(["logs", id])).stdout).toBe("started\nended\n");
  });
});

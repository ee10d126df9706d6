import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../until.ts";
import { ask, serveAsker } from "./asker.ts";
import { bin, makeCli, type Cli } from "./cli.ts";

const escape = "\u001b";
const enter = `${escape}[?1049h`;
const leave = `${escape}[?1049l`;
const slow = { timeoutMs: 60_000 };

interface Typist {
  /** Everything that was drawn since the last key. */
  readonly seen: () => string;
  readonly press: (keys: string) => void;
  readonly shows: (text: string | RegExp) => Promise<void>;
  readonly signal: (name: NodeJS.Signals) => void;
}

/** Somebody at a terminal of 90 columns and 20 rows. It shrinks once there is a file "narrow". */
function sitAt(cli: Cli, words: readonly string[]): Typist {
  const pidFile = join(cli.home, "typist.pid");
  const narrow = join(cli.home, "narrow");
  const command = `stty cols 90 rows 20
    (until [ -e ${narrow} ] || [ ! -e ${cli.home} ]; do sleep 0.1; done; stty cols 50 rows 10 </dev/tty) 2>/dev/null &
    sh -c 'echo $$ > ${pidFile}; exec ${process.execPath} ${bin} ${words.join(" ")}'
    echo "left $?"; stty -a | grep -o -- '-*icanon'`;
  const env = {
    ...process.env,
    TERM: "xterm-256color",
    LONGHAUL_HOME: cli.home,
    LONGHAUL_PORT: "0",
    SHELL: "/bin/bash",
  };
  const child = spawn("script", ["-qec", command, "/dev/null"], { env, stdio: "pipe" });
  let text = "";
  let from = 0;
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  onTestFinished(() => void child.kill());
  const seen = (): string => text.slice(from);
  return {
    seen,
    press: (keys) => {
      from = text.length;
      child.stdin.write(keys);
    },
    shows: (wanted) => until(() => (typeof wanted === "string" ? seen().includes(wanted) : wanted.test(seen())), slow),
    signal: (name) => process.kill(Number(readFileSync(pidFile, "utf8")), name),
  };
}

describe("top", () => {
  it("without a terminal says so in one sentence", async () => {
    const { code, stdout, stderr } = await makeCli().run(["top"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("error: top needs a terminal; here use: longhaul ps\n");
  });

  it("shows jobs and the output of the chosen one, cancels, retries and filters by keys, and gives the terminal back", async () => {
    const cli = makeCli();
    const bad = await cli.detach("echo went wrong; exit 3", ["--name", "bad"]);
    await cli.run(["wait", bad]);
    const live = await cli.detach("echo hello from live; sleep 600", ["--name", "live"]);
    await until(async () => (await cli.client.call("job_output", { id: live })).size > 0, slow);
    const typist = sitAt(cli, ["top"]);
    await typist.shows("hello from live");
    expect(typist.seen()).toContain(enter);
    expect(typist.seen()).toContain("1 running, 1 ended");
    typist.press("j");
    await typist.shows("went wrong");
    typist.press("r");
    await typist.shows("attempt 2");
    typist.press("/live");
    await typist.shows('only "live"');
    typist.press("\rc");
    await typist.shows("is being cancelled");
    await until(async () => (await cli.client.call("job_get", { id: live })).state === "cancelled", slow);
    typist.press("q");
    await typist.shows("left 0");
    expect(typist.seen()).toContain(leave);
    await typist.shows(/left 0\s+icanon/);
  }, 120_000);

  it("follows the size of the terminal, opens a job, and restores the terminal when it is told to end", async () => {
    const cli = makeCli();
    const id = await cli.detach("echo hello from live; sleep 600", ["--name", "live"]);
    await until(async () => (await cli.client.call("job_output", { id })).size > 0, slow);
    const typist = sitAt(cli, ["top"]);
    await typist.shows("q quit");
    typist.press("");
    writeFileSync(join(cli.home, "narrow"), "");
    await typist.shows("a a…");
    typist.press("\r");
    await typist.shows(leave);
    await typist.shows(/lines that you type[^]*hello from live/);
    typist.press("\u0003");
    await typist.shows("a key leads back");
    typist.press("x");
    await typist.shows(enter);
    typist.signal("SIGTERM");
    await typist.shows("left 143");
    expect(typist.seen()).toContain(leave);
    await typist.shows(/left 143\s+icanon/);
  }, 120_000);

  it("answers the question of a job", async () => {
    const cli = makeCli();
    const engine = await serveAsker(cli);
    const id = await ask(engine, { type: "object", properties: { name: { type: "string" } } });
    const typist = sitAt(cli, ["top"]);
    await typist.shows("waiting");
    typist.press("a");
    await typist.shows("Which one?");
    typist.press("this\r");
    await typist.shows("has its answer");
    await engine.wait(id);
    expect(await engine.result(id)).toEqual({ action: "accept", content: { name: "this" } });
    typist.press("q");
    await typist.shows("left 0");
  }, 120_000);
});

it("ps -w keeps the list up to date until q", async () => {
  const cli = makeCli();
  await cli.run(["ps"]);
  const typist = sitAt(cli, ["ps", "-w"]);
  await typist.shows("No jobs are running");
  await cli.detach("sleep 600", ["--name", "late"]);
  await typist.shows("late");
  expect(typist.seen()).toContain("1 running");
  typist.press("q");
  await typist.shows("left 0");
}, 120_000);

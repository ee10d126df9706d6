import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { endProcess, makeCli, makeSharedCli } from "./cli.ts";
import { hasTmux, Tmux } from "./tmux.ts";

const shared = makeSharedCli();

const leave = (terminal: Tmux): void => terminal.press("C-\\", "C-\\");

describe.skipIf(!hasTmux)("on a real terminal", () => {
  it("run --pty and attach edit a file in vim: left, drawn anew, with the server killed in between, and saved", async () => {
    const cli = makeCli();
    const file = join(cli.home, "edited.txt");
    const terminal = new Tmux(cli.home);
    terminal.enter(`longhaul run --pty --name editor -- vim -u NONE -N ${file}`);
    await terminal.shows("edited.txt");
    terminal.type("ifirst line");
    await terminal.shows(/^first line/);
    leave(terminal);
    await terminal.shows(/goes on. See it: longhaul attach/);
    terminal.enter("clear; longhaul attach editor");
    await terminal.shows(/^first line\n~/);
    await terminal.shows("-- INSERT --");
    await endProcess(cli.serverPid() ?? 0, "SIGKILL");
    terminal.type(", typed while no server ran");
    await terminal.shows(/^first line, typed while no server ran\n/);
    terminal.press("Escape");
    terminal.enter(":wq");
    await terminal.shows(/✓ \w+ \(editor\) succeeded/);
    expect(readFileSync(file, "utf8")).toBe("first line, typed while no server ran\n");
  });

  it("the window's size is followed", async () => {
    const terminal = new Tmux(shared.home, { columns: 90, rows: 25 });
    terminal.enter("longhaul run --pty -- bash --norc -i");
    await terminal.shows(/leaves it running[^$#]*[$#] $/m);
    terminal.enter("stty size");
    await terminal.shows("25 90");
    terminal.resize(71, 19);
    await until(() => {
      terminal.enter("stty size");
      return terminal.screen().includes("19 71");
    });
    terminal.enter("exit 6");
    await terminal.shows("failed (6)");
    await terminal.shows(/failed \(6\)[^]*\nshell>/);
    expect(terminal.screen()).toContain("25 90");
  });

  it("less, a prompt for a password and Ctrl-C work, and the exit code is the job's", async () => {
    const terminal = new Tmux(shared.home);
    terminal.enter("longhaul run --pty -- 'seq 500 | less'");
    await terminal.shows(/^1\n2\n/);
    terminal.press("G");
    await terminal.shows(/^499\n500\n/m);
    terminal.press("q");
    await terminal.shows(/✓ \w+ succeeded/);
    terminal.enter(
      "clear; longhaul run --pty -- 'read -rsp Secret: word; echo; echo ${#word} long; sleep 60'; echo code $?",
    );
    await terminal.shows(/^Secret:/m);
    terminal.enter("opensesame");
    await terminal.shows("10 long");
    expect(terminal.screen()).not.toContain("opensesame");
    terminal.press("C-c");
    await terminal.shows("code 130");
  });

  it("attach shows the last lines of a REPL, and lets one go on with it", async () => {
    await shared.run(["run", "-d", "--pty", "--name", "repl", "--", "python3", "-q"]);
    await until(async () => (await shared.client.call("job_output", { id: "repl" })).text.includes(">>> "));
    await shared.run(["send", "repl", "sum(range(7))"]);
    await until(async () => (await shared.client.call("job_output", { id: "repl" })).text.includes("21"));
    const terminal = new Tmux(shared.home);
    terminal.enter("longhaul attach repl");
    await terminal.shows(/Ctrl-\\ twice leaves it running\n>>> sum\(range\(7\)\)\n21\n>>>/);
    terminal.enter("6 * 7");
    await terminal.shows(/^42$/m);
    terminal.enter("exit(3)");
    await terminal.shows(/✗ \w+ \(repl\) failed \(3\)/);
    expect((await shared.client.call("job_get", { id: "repl" })).exit_code).toBe(3);
  });

  it("the terminal is as it was after attach is ended by a signal", async () => {
    const id = (
      await shared.run(["run", "-d", "--pty", "--", "printf '\\e[?1049h\\e[?25lfull screen'; sleep 300"])
    ).stdout.trim();
    const terminal = new Tmux(shared.home);
    terminal.enter(`longhaul attach ${id}`);
    await until(
      async () => terminal.run("display-message", "-p", "-t", "t", "#{alternate_on} #{cursor_flag}").trim() === "1 0",
    );
    const pid = terminal.run("display-message", "-p", "-t", "t", "#{pane_pid}").trim();
    const [attached] = childrenOf(Number(pid));
    process.kill(attached ?? 0, "SIGTERM");
    await terminal.shows("goes on");
    expect(terminal.run("display-message", "-p", "-t", "t", "#{alternate_on} #{cursor_flag}").trim()).toBe("0 1");
    terminal.enter("stty -a | tr ' ' '\\n' | grep -x echo");
    await terminal.shows(/^echo$/m);
    expect((await shared.client.call("job_get", { id })).state).toBe("running");
    await shared.client.call("job_cancel", { ids: [id] });
  });

  it("attach to a job without a terminal shows its output and sends it lines; Ctrl-C leaves it running", async () => {
    await shared.run(["run", "-d", "--name", "plain", "--", "echo begun; while read -r l; do echo got $l; done"]);
    await until(async () => (await shared.client.call("job_output", { id: "plain" })).text.includes("begun"));
    const terminal = new Tmux(shared.home);
    terminal.enter("longhaul attach plain");
    await terminal.shows(/has no terminal[^]*\nbegun\n/);
    terminal.enter("one");
    await terminal.shows("got one");
    terminal.press("C-c");
    await terminal.shows("goes on");
    expect((await shared.client.call("job_get", { id: "plain" })).state).toBe("running");
  });
});

function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, "utf8").trim().split(" ").filter(Boolean).map(Number) : [];
}

describe("attach", () => {
  it("says in one line that it needs a terminal, and what to do without one", async () => {
    const id = await shared.detach("sleep 300");
    const { code, stdout, stderr } = await shared.run(["attach", id]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      /^error: attach needs a terminal. Without one: longhaul logs -f \w+, and longhaul send \w+ TEXT\n$/,
    );
  });

  it("says that a job has ended, and where its output is", async () => {
    await shared.run(["run", "--name", "over", "--", "true"]);
    const { code, stderr } = await shared.run(["attach", "over"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: Job \w+ \(over\) has succeeded. See its output: longhaul logs \w+\n$/);
  });
});

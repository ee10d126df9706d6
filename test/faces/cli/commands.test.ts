import { beforeAll, describe, expect, it } from "vitest";
import type { JobView } from "../../../src/operations/job-view.ts";
import { until } from "../../until.ts";
import { makeSharedCli } from "./cli.ts";

const cli = makeSharedCli();
let good = "";
let bad = "";
let live = "";

beforeAll(async () => {
  good = await cli.detach("echo one; echo two >&2; echo three", ["--name", "good", "--tag", "nice", "--batch", "b1"]);
  bad = await cli.detach("echo wrong; exit 9", ["--name", "bad", "--batch", "b1"]);
  live = await cli.detach("echo waiting; while read line; do echo got $line; done", ["--name", "live"]);
  await cli.run(["wait", good, bad]);
});

async function listNames(...words: string[]): Promise<(string | undefined)[]> {
  return (await cli.json<{ jobs: JobView[] }>(["ps", ...words])).jobs.map(({ name }) => name);
}

describe("ps", () => {
  it("lists what runs and what ended lately, the newest first, with short ids and the totals", async () => {
    const { code, stdout } = await cli.run(["ps"]);
    const [header = "", ...rows] = stdout.trimEnd().split("\n");
    expect(rows.pop()).toBe("1 running, 2 ended");
    expect(header).toMatch(/^ID +STATE +AGE +TIME +NAME +COMMAND$/);
    expect(rows.map((row) => row.slice(0, 8))).toEqual([live, bad, good].map((id) => id.slice(-8)));
    expect(rows[1]).toContain("failed (9)");
    expect(code).toBe(0);
  });

  it("selects by state, name, tag, batch and words", async () => {
    expect(await listNames("--state", "failed")).toEqual(["bad"]);
    expect(await listNames("--state", "active")).toEqual(["live"]);
    expect(await listNames("--tag", "nice")).toEqual(["good"]);
    expect(await listNames("-a", "--batch", "b1")).toEqual(["bad", "good"]);
    expect(await listNames("--text", "wrong")).toEqual(["bad"]);
  });

  it("goes on from page to page", async () => {
    const first = await cli.json<{ jobs: JobView[]; cursor: string }>(["ps", "-a", "--limit", "2"]);
    const second = await cli.json<{ jobs: JobView[] }>(["ps", "-a", "--limit", "2", "--cursor", first.cursor]);
    expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual([live, bad, good]);
  });
});

describe("batch", () => {
  it("lists batches with how far they are, and shows the jobs of one", async () => {
    expect((await cli.run(["batch", "list"])).stdout).toMatch(/^b1 +2\/2 \(100%\) +1 failed, 1 succeeded$/m);
    const { stdout } = await cli.run(["batch", "show", "b1"]);
    expect(stdout).toContain(bad.slice(-8));
    expect(stdout).toContain("2 of 2 jobs ended");
  });

  it("that there is not is told by show, wait and cancel", async () => {
    for (const verb of ["show", "wait", "cancel"]) {
      const { code, stderr } = await cli.run(["batch", verb, "none"]);
      expect([code, stderr]).toEqual([2, 'error: There is no batch "none".\n']);
    }
  });
});

describe("show", () => {
  it("tells all about one job, by id, end of id or name", async () => {
    for (const reference of [bad, bad.slice(-8), "bad"]) {
      const { stdout } = await cli.run(["show", reference]);
      expect(stdout).toContain(bad);
      expect(stdout).toMatch(/state +failed \(9\)/);
      expect(stdout).toContain(`longhaul retry ${bad.slice(-8)}`);
    }
  });

  it("tells the last line of a program that fills the screen in words", async () => {
    const id = await cli.detach(
      String.raw`printf '\033[?1049h\033[2J\033[1;1Htop line\033[5;3H\033[31mready\033[0m\033[?25l'`,
    );
    await cli.run(["wait", id]);
    const { stdout } = await cli.run(["show", id]);
    const [, line = ""] = /^last line +(.*)$/m.exec(stdout) ?? [];
    expect(line).toMatch(/ready$/);
    for (const sign of ["\\e", "[", "\u001b"]) expect(line).not.toContain(sign);
  });

  it("tells what the live processes do", async () => {
    const job = await cli.json<JobView>(["show", "live"]);
    expect(job).toMatchObject({
      id: live,
      kind: "shell",
      state: "running",
      name: "live",
      live: { pid: expect.any(Number) as number },
    });
    expect((await cli.run(["show", "live"])).stdout).toMatch(/pid +\d+/);
  });
});

describe("logs", () => {
  it("prints the output", async () => {
    expect(await cli.run(["logs", "good"])).toEqual({ code: 0, stdout: expect.stringContaining("one\n"), stderr: "" });
    expect((await cli.run(["logs", "good", "--stream", "stderr"])).stdout).toBe("two\n");
    expect((await cli.run(["logs", "good", "--stream", "stdout", "--tail", "1"])).stdout).toBe("three\n");
    expect((await cli.run(["logs", "good", "--grep", "^t"])).stdout.split("\n").toSorted()).toEqual([
      "",
      "three",
      "two",
    ]);
    expect((await cli.run(["logs", "good", "--stream", "stdout", "--from", "4"])).stdout).toBe("three\n");
  });

  it("says which streams and attempts there are", async () => {
    const { code, stderr } = await cli.run(["logs", "good", "--stream", "foo"]);
    expect([code, stderr]).toEqual([2, `error: Job ${good} has no stream "foo": it has merged, stdout, stderr.\n`]);
    expect((await cli.run(["logs", "-f", "live", "--stream", "foo"])).stderr).toContain(
      "it has merged, stdout, stderr",
    );
    expect((await cli.run(["logs", "good", "--attempt", "9"])).stderr).toContain(
      "has no attempt 9: there is only the first",
    );
  });

  it("of several jobs begin each line with the job's name", async () => {
    const { stdout } = await cli.run(["logs", "bad", "good", "-n", "1", "--stream", "stdout"]);
    expect(stdout).toBe("bad  | wrong\ngood | three\n");
  });

  it("follow several jobs at once", async () => {
    const [one, two] = await Promise.all([
      cli.detach("echo first; sleep 0.4; printf last", ["--name", "one"]),
      cli.detach("echo other", ["--name", "two"]),
    ]);
    const { stdout } = await cli.run(["logs", "-f", one, two]);
    expect(stdout.trimEnd().split("\n").toSorted()).toEqual(["one | first", "one | last", "two | other"]);
  });

  it("without an id are those of the newest job, and say whose", async () => {
    const id = await cli.detach("echo newest", ["--name", "newest"]);
    await cli.run(["wait", id]);
    const { stdout, stderr } = await cli.run(["logs"]);
    expect([stdout, stderr]).toEqual(["newest\n", `job ${id.slice(-8)} (newest)\n`]);
    expect((await cli.run(["tail"])).stdout).toBe("newest\n");
  });

  it("as JSON tells where to read on", async () => {
    expect(await cli.json(["logs", "good", "--stream", "stdout"])).toEqual({
      id: good,
      text: "one\nthree\n",
      from: 0,
      next: 10,
      size: 10,
      dropped: 0,
      is_complete: true,
    });
  });

  it("follows to the end of the job", async () => {
    const id = await cli.detach("echo a; sleep 0.4; echo b >&2; sleep 0.4; printf c");
    const { code, stdout } = await cli.run(["logs", "-f", id]);
    expect([code, stdout]).toEqual([0, "a\nb\nc"]);
  });

  it("follows as lines of JSON", async () => {
    const id = await cli.detach("echo é; sleep 0.4; echo b");
    const lines = (await cli.run(["logs", "-f", "--json", id])).stdout.trim().split("\n");
    const pieces = lines.map((line) => JSON.parse(line) as { text: string; next: number });
    expect(pieces.map(({ text }) => text).join("")).toBe("é\nb\n");
    expect(pieces.at(-1)?.next).toBe(5);
  });

  it("shows the output of an earlier attempt", async () => {
    const id = await cli.detach("date +%N; exit 1");
    await cli.run(["wait", id]);
    const first = (await cli.run(["logs", id])).stdout;
    await cli.run(["retry", id]);
    await cli.run(["wait", id]);
    expect((await cli.run(["logs", id, "--attempt", "1"])).stdout).toBe(first);
    expect((await cli.run(["logs", id])).stdout).not.toBe(first);
  });

  it("ends without a fuss when its reader does", async () => {
    const id = await cli.detach("seq 1 200000");
    await cli.run(["wait", id]);
    const reading = cli.start(["logs", id]);
    reading.process.stdout?.once("data", () => reading.process.stdout?.destroy());
    const { code, stderr } = await reading.done;
    expect([code, stderr]).toEqual([141, ""]);
  });
});

describe("send", () => {
  it("writes to the job's input", async () => {
    expect(await cli.run(["send", "live", "hello", "there"])).toMatchObject({ code: 0, stderr: "Sent 12 bytes.\n" });
    expect(await cli.json(["send", "live", "again"])).toEqual({ id: live, sent: 6 });
    await until(async () => (await cli.run(["logs", "live"])).stdout === "waiting\ngot hello there\ngot again\n");
  });

  it("leaves the line open if asked to", async () => {
    expect((await cli.run(["send", "--no-newline", "live", "a"])).stderr).toBe("Sent 1 byte.\n");
    await cli.run(["send", "live", "cd"]);
    await until(async () => (await cli.run(["logs", "live", "--tail", "1"])).stdout === "got acd\n");
  });
});

describe("events", () => {
  it("tells what happened, as text and as lines of JSON", async () => {
    expect((await cli.run(["events", "bad"])).stdout).toMatch(
      /job-submitted  by local \(cli\)\n.*attempt-started.*\n.*job-finished/,
    );
    const lines = (await cli.run(["events", "--json", "bad"])).stdout.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      "job-submitted",
      "attempt-started",
      "job-finished",
    ]);
  });

  it("follows to the end of the job", async () => {
    const id = await cli.detach("sleep 0.5");
    expect((await cli.run(["events", "-f", id])).stdout).toContain("job-finished");
  });
});

describe("cancel and retry", () => {
  it("act on ids and say what comes of it", async () => {
    const id = await cli.detach("sleep 60");
    expect((await cli.run(["cancel", id])).stdout).toContain("is being cancelled");
    expect((await cli.run(["wait", id])).code).toBe(143);
    expect((await cli.run(["cancel", id])).stdout).toContain("was cancelled");
    expect(await cli.json(["retry", id])).toMatchObject({ jobs: [{ id, state: "queued", attempt: 2 }] });
    expect(await cli.json(["cancel", id])).toMatchObject({ jobs: [{ id }] });
    expect((await cli.run(["cancel", "good"])).stdout).toContain("has succeeded already");
  });

  it("act on a batch, or on all that match", async () => {
    await Promise.all(["x", "x", "y"].map((batch) => cli.detach("sleep 60", ["--batch", batch, "--tag", "many"])));
    expect((await cli.json<{ jobs: JobView[] }>(["cancel", "--batch", "x"])).jobs).toHaveLength(2);
    expect((await cli.json<{ jobs: JobView[] }>(["cancel", "--all-matching", "--tag", "many"])).jobs).not.toHaveLength(
      0,
    );
    await until(
      async () => (await cli.json<{ jobs: JobView[] }>(["ps", "--tag", "many", "--state", "active"])).jobs.length === 0,
    );
    const tried = await cli.run(["retry", "--filter", "batch:x state:cancelled", "--dry-run"]);
    expect(tried.stderr).toContain("2 jobs in all; nothing was changed.");
    expect((await cli.run(["cancel", "--filter", "state:odd"])).stderr).toContain('The filter\'s word "state:odd"');
    expect((await cli.json<{ jobs: JobView[] }>(["retry", "--batch", "x"])).jobs).toHaveLength(2);
    await cli.run(["cancel", "--batch", "x"]);
    expect((await cli.run(["cancel", "--batch", "none"])).stderr).toContain("No matching job is active");
  });
});

describe("pause and resume", () => {
  it("stop and start the starting of jobs", async () => {
    expect((await cli.run(["pause", "shell"])).stdout).toBe("Paused: shell\n");
    const id = await cli.detach("true");
    expect((await cli.run(["wait", id, "--timeout", "300ms"])).code).toBe(124);
    expect((await cli.run(["show", id])).stdout).toMatch(/reason .*paused/);
    expect(await cli.json(["resume", "shell"])).toEqual({ paused_kinds: [] });
    expect((await cli.run(["wait", id])).code).toBe(0);
  });
});

describe("prune", () => {
  it("says how many jobs it removed", async () => {
    expect((await cli.run(["prune"])).stdout).toBe("Removed 0 jobs.\n");
    expect(await cli.json(["prune"])).toEqual({ removed: 0, removed_pages: 0 });
  });
});

describe("server status", () => {
  it("tells where the server is and what it has", async () => {
    expect((await cli.run(["server", "status"])).stdout).toMatch(/server +version .*, process \d+/);
    const { stdout } = await cli.run(["server", "status", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ running: true, pid: cli.serverPid(), home: cli.home });
  });
});

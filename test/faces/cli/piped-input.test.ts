import { createHash } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { bin, makeCli, makeSharedCli, type Cli, type Running } from "./cli.ts";

const shared = makeSharedCli();

/** Bytes that are no text, and of which none are alike. */
function makeBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE((at * 2_654_435_761) % 4_294_967_296, at);
  return bytes;
}

function digest(bytes: Uint8Array): string {
  return `${createHash("sha1").update(bytes).digest("hex")}  -\n`;
}

/** As fast as it is taken. */
async function write({ process: { stdin } }: Running, bytes: Uint8Array): Promise<void> {
  if (stdin?.write(bytes) === false) await once(stdin, "drain");
}

async function runningJob({ client }: Cli): Promise<string> {
  let id: string | undefined;
  await until(async () => {
    id = (await client.call("job_list", { state: ["running"] })).jobs[0]?.id;
    return id !== undefined;
  });
  return id ?? "";
}

describe("what is piped into run", () => {
  it("is the command's input, which ends with it", async () => {
    const done = await shared.run(["run", "--", "cat; echo the end"], { stdin: "some\ndata\n" });
    expect(done).toEqual({ code: 0, stdout: "some\ndata\nthe end\n", stderr: "" });
  });

  it("may be large and is passed on byte by byte", async () => {
    const bytes = makeBytes(30_000_000);
    expect(await shared.run(["run", "--", "sha1sum"], { stdin: bytes })).toMatchObject({ stdout: digest(bytes) });
  });

  it("reaches the command while it is still being written", async () => {
    const running = shared.start(["run", "--", "cat"], { isInputOpen: true });
    await write(running, Buffer.from("first\n"));
    await until(() => running.stdout() === "first\n");
    running.process.stdin?.end("second\n");
    expect(await running.done).toMatchObject({ code: 0, stdout: "first\nsecond\n" });
  });

  it("waits with a job that is not yet started", async () => {
    expect(await shared.run(["run", "--delay", "1s", "--", "wc -c"], { stdin: "12345" })).toMatchObject({
      stdout: "5\n",
    });
  });

  it("need not end: the command's end is the end of run, with its exit code", async () => {
    expect(await shared.start(["run", "--", "exit 3"], { isInputOpen: true }).done).toMatchObject({ code: 3 });
  });

  it("need not be read: a command that takes a part of it ends run", async () => {
    const done = await shared.run(["run", "--", "head -c 3"], { stdin: makeBytes(5_000_000) });
    expect(done).toMatchObject({ code: 0, stderr: "" });
  });

  it("may be nothing, as under cron: then the command's input ends at once", async () => {
    const nothing = openSync("/dev/null", "r");
    const child = spawn(process.execPath, [bin, "run", "--", "cat; echo the end"], {
      env: { ...process.env, LONGHAUL_HOME: shared.home, LONGHAUL_PORT: "0" },
      stdio: [nothing, "pipe", "inherit"],
    });
    closeSync(nothing);
    let stdout = "";
    child.stdout?.on("data", (text: Buffer) => (stdout += text.toString()));
    await once(child, "close");
    expect(stdout).toBe("the end\n");
  });

  it("is not read with -d, unless --stdin - says so", async () => {
    const id = (await shared.start(["run", "-d", "--", "read -r line; echo got $line"], { isInputOpen: true }).done)
      .stdout;
    await until(async () => (await shared.client.call("job_get", { id: id.trim() })).state === "running");
    await until(async () => (await shared.run(["send", id.trim(), "sent"])).code === 0);
    expect((await shared.run(["wait", id.trim()])).code).toBe(0);
    expect((await shared.run(["logs", id.trim()])).stdout).toBe("got sent\n");
    const read = (await shared.run(["run", "-d", "--stdin", "-", "--", "wc -c"], { stdin: "1234" })).stdout.trim();
    expect((await shared.run(["wait", read])).code).toBe(0);
    expect((await shared.run(["logs", read])).stdout).toBe("4\n");
  });

  it("is not given to a second attempt, which therefore is not made", async () => {
    const done = await shared.run(["run", "--retry", "2", "--", "cat; exit 4"], { stdin: "data\n" });
    expect(done).toMatchObject({ code: 4, stdout: "data\n" });
  });

  it("is left open by Ctrl-C, and `send --eof` ends it", async () => {
    const cli = makeCli();
    const running = cli.start(["run", "--", "cat"], { isInputOpen: true });
    await write(running, Buffer.from("begun\n"));
    await until(() => running.stdout() === "begun\n");
    running.process.kill("SIGINT");
    const { code, stderr } = await running.done;
    expect(code).toBe(130);
    expect(stderr).toMatch(/has not all been passed on. End its input: longhaul send \w+ --eof/);
    const id = await runningJob(cli);
    expect((await cli.run(["send", id, "--eof", "more"])).stderr).toBe("Sent 5 bytes and ended its input.\n");
    expect((await cli.run(["wait", id])).code).toBe(0);
    expect((await cli.run(["logs", id])).stdout).toBe("begun\nmore\n");
    expect(await cli.run(["send", id])).toMatchObject({ code: 2, stderr: /longhaul send \w+ TEXT, or --eof/ });
  });
});

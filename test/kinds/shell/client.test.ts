import { describe, expect, it } from "vitest";
import { useShell } from "./world.ts";

describe.each([
  { name: "with Perl", options: {} },
  { name: "without Perl", options: { perl: "/no/such/perl" } },
])("a command $name", ({ options }) => {
  const world = useShell();
  const command = 'echo "$PWD ${ONE-none} ${TWO-none} ${THREE-none}"';
  const client = { env: { PATH: process.env["PATH"] ?? "", TWO: "the client's" } };
  const servers = {
    inherit: ["PATH", "ONE", "TWO"],
    env: { ...process.env, ONE: "the server's", TWO: "the server's" },
  };

  it("inherits what its client hands on, instead of what the server would", async () => {
    const engine = await world().open({ ...options, ...servers });
    const request = { kind: "shell", input: { command, env: { THREE: "the call's" } } };
    const own = await engine.submit(request);
    await world().end(own.id);
    expect(await world().stdout(own.id)).toBe(`${world().base} the server's the server's the call's\n`);
    const clients = await engine.submit(request, { client: { ...client, cwd: "/" } });
    await world().end(clients.id);
    expect(await world().stdout(clients.id)).toBe(`/ none the client's the call's\n`);
    expect(clients.cwd).toBe("/");
  });

  it("inherits the same when it is run again", async () => {
    const engine = await world().open({ ...options, ...servers });
    const job = await engine.submit({ kind: "shell", input: { command: `${command}; exit 1` } }, { client });
    await world().end(job.id);
    await world().reopen();
    await world().engine.retry(job.id);
    await world().end(job.id);
    const again = await world().engine.readOutput(job.id, { stream: "stdout", attempt: 2 });
    expect(Buffer.from(again.bytes).toString()).toBe(`${world().base} none the client's none\n`);
  });
});

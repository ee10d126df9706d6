import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectOfficial, type OfficialClient } from "./official-client.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

describe.each([
  { wire: "http", era: "modern" },
  { wire: "http", era: "legacy" },
  { wire: "stdio", era: "modern" },
  { wire: "stdio", era: "legacy" },
] as const)("a task whose server is killed, over $wire, $era revision", ({ wire, era }) => {
  let home = "";
  let server: ServerProcess | undefined;
  let client: OfficialClient | undefined;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "longhaul-mcp-crash-"));
  });
  afterEach(async () => {
    await client?.client.close();
    await server?.kill("SIGTERM");
    await rm(home, { recursive: true, force: true });
  });

  it("is found by the next server under the same id, and its command has lost nothing", async () => {
    server = await startServer(home);
    client = await connectOfficial(server, { wire, era, token: server.token });
    const args = { command: "echo before; sleep 2; echo after; exit 0", wait_s: 0 };
    const execution = await client.session.callTool("run_command", args, { task: { preference: "require" } });
    if (execution.kind !== "task") throw new Error("expected a task");
    const reference = execution.serializeReference();
    await execution.detach();
    await server.kill("SIGKILL");
    await client.client.close();

    server = await startServer(home);
    client = await connectOfficial(server, { wire, era, token: server.token });
    const resumed = await client.session.resumeTask(reference);
    const { outcome } = await resumed.settle();
    expect(outcome).toMatchObject({
      status: "completed",
      result: { structuredContent: { job_id: reference.taskId, exit_code: 0, output: "before\nafter\n" } },
    });
  });
});

import type { CallToolResult } from "@modelcontextprotocol/client";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { combinations, connectOfficial, type Era, type OfficialClient, type Wire } from "./official-client.ts";
import { fencedIn, jobIdIn, textOf } from "./reply-text.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

type Client = OfficialClient & { readonly wire: Wire; readonly era: Era };

/** Clients over every wire and of every revision, which share the server. */
describe("tasks whose server is killed", () => {
  let home = "";
  let server: ServerProcess;
  let clients: Client[] = [];
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "longhaul-mcp-crash-"));
  });
  afterEach(async () => {
    await disconnect();
    await server.kill("SIGTERM");
    await rm(home, { recursive: true, force: true });
  });

  const connect = async (): Promise<void> => {
    server = await startServer(home);
    const { token } = server;
    clients = await Promise.all(
      combinations.map(async (way) => ({ ...way, ...(await connectOfficial(server, { ...way, token })) })),
    );
  };
  const disconnect = async (): Promise<void> => {
    await Promise.all(clients.splice(0).map(({ client }) => client.close()));
  };

  it("are found by the next server under the same ids, and their commands have lost nothing", async () => {
    await connect();
    const go = join(home, "go");
    const args = { command: `echo before; until [ -e ${go} ]; do sleep 0.05; done; echo after`, wait_s: 0 };
    const references = await Promise.all(
      clients.map(async ({ session }) => {
        const execution = await session.callTool("run_command", args, { task: { preference: "require" } });
        if (execution.kind !== "task") throw new Error("expected a task");
        await execution.detach();
        return execution.serializeReference();
      }),
    );
    await server.kill("SIGKILL");
    await disconnect();

    await connect();
    await writeFile(go, "");
    const found = await Promise.all(
      clients.map(async ({ wire, era, session }, index) => {
        const reference = references[index];
        if (reference === undefined) throw new Error("each client has a task");
        const { outcome } = await (await session.resumeTask(reference)).settle();
        const { result } = outcome as { result: CallToolResult };
        const isOwn = jobIdIn(result) === reference.taskId;
        return { wire, era, status: outcome.status, isOwn, text: textOf(result), output: fencedIn(result) };
      }),
    );
    const text = expect.stringMatching(/^exit code 0 after /) as string;
    expect(found).toEqual(
      combinations.map((way) => ({ ...way, status: "completed", isOwn: true, text, output: "before\nafter" })),
    );
  });
});

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import { useMcpWorld, type McpWorld } from "./world.ts";

interface Told {
  readonly types: string[];
  taskId: string;
  result: unknown;
  error: unknown;
}

function openTransport({ url, front }: McpWorld, wire: "http" | "stdio"): Transport {
  if (wire === "stdio") return new StdioClientTransport({ ...front, stderr: "pipe" });
  const requestInit = { headers: { authorization: "Bearer ada-token" } };
  return new StreamableHTTPClientTransport(new URL(url), { requestInit });
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Told> {
  const told: Told = { types: [], taskId: "", result: undefined, error: undefined };
  const options = { task: { ttl: 60_000 } };
  const params = { name, arguments: args };
  for await (const message of client.experimental.tasks.callToolStream(params, CallToolResultSchema, options)) {
    told.types.push(message.type);
    if (message.type === "taskCreated") told.taskId = message.task.taskId;
    if (message.type === "result") told.result = message.result;
    if (message.type === "error") told.error = message.error;
  }
  return told;
}

describe.each([{ wire: "http" }, { wire: "stdio" }] as const)("the v1 SDK's client over $wire", ({ wire }) => {
  const world = useMcpWorld();
  const clients: Client[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });

  async function connect(answer: (message: string) => Record<string, string | boolean> = () => ({})): Promise<Client> {
    const client = new Client(
      { name: "v1", version: "0.0.0" },
      { capabilities: { elicitation: { form: {} }, tasks: { requests: { elicitation: { create: {} } } } } },
    );
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
      action: "accept",
      content: answer(params.message),
    }));
    await client.connect(openTransport(world(), wire));
    clients.push(client);
    return client;
  }

  it("settles a task", async () => {
    const told = await call(await connect(), "slow_compute", { seconds: 0.2, label: "e" });
    expect(told.result).toMatchObject({ content: [{ text: "computed e for 0.2s" }] });
    expect(told.types[0]).toBe("taskCreated");
  });

  it("answers one question, and two at once", async () => {
    const client = await connect((message): Record<string, string | boolean> =>
      message.startsWith("Delete") ? { confirm: true } : { name: message.includes("friend") ? "Bob" : "Ada" },
    );
    expect((await call(client, "confirm_delete", { filename: "a" })).result).toMatchObject({
      content: [{ text: "deleted a" }],
    });
    const both = JSON.stringify((await call(client, "multi_input", {})).result);
    expect(both).toContain("Ada");
    expect(both).toContain("Bob");
  });

  it("cancels a task at once, and is refused the second time", async () => {
    const client = await connect();
    const job = await world().engine.submit({ kind: "slow_compute", input: { seconds: 60 }, owner: "ada" });
    expect((await client.experimental.tasks.cancelTask(job.id)).status).toBe("cancelled");
    expect((await world().engine.get(job.id)).state.status).toBe("cancelled");
    await expect(client.experimental.tasks.cancelTask(job.id)).rejects.toMatchObject({ code: -32_602 });
  });

  it("shows a tool's failure as a failed task whose result is the failure", async () => {
    const client = await connect();
    const { taskId } = await call(client, "failing_job", {});
    const task = await client.experimental.tasks.getTask(taskId);
    expect(task).toMatchObject({ status: "failed", statusMessage: "The job failed, as it was made to." });
    const result = await client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    expect(result).toMatchObject({ isError: true });
  });

  it("rethrows an error of the protocol when the result is asked for", async () => {
    const client = await connect();
    const { taskId } = await call(client, "protocol_error_job", {});
    await expect(client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema)).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining("The call itself went wrong.") as string,
    });
  });

  it("finds a task of an earlier connection, and lists its own only", async () => {
    const first = await connect();
    const { engine } = world();
    const job = await engine.submit({ kind: "slow_compute", input: { seconds: 0.5, label: "x" }, owner: "ada" });
    await engine.submit({ kind: "slow_compute", input: { seconds: 60 }, owner: "bob" });
    await first.close();
    const second = await connect();
    const result = await second.experimental.tasks.getTaskResult(job.id, CallToolResultSchema);
    expect(result).toMatchObject({ content: [{ text: "computed x for 0.5s" }] });
    const { tasks } = await second.experimental.tasks.listTasks();
    expect(tasks.map(({ taskId }) => taskId)).toEqual([job.id]);
  });

  it("calls a job tool without a task and gets its result, but not one that runs only as a task", async () => {
    const client = await connect();
    const params = { name: "slow_compute", arguments: { seconds: 0.1, label: "now" } };
    expect(await client.callTool(params)).toMatchObject({ content: [{ text: "computed now for 0.1s" }] });
    await expect(
      client.request({ method: "tools/call", params: { name: "failing_job" } }, CallToolResultSchema),
    ).rejects.toMatchObject({ code: -32_601 });
  });
});

import { describe, expect, it, onTestFinished } from "vitest";
import { makeHome, serveHere, type ServerHere } from "../../server/server-here.ts";
import { connectOfficial, type OfficialClient } from "./official-client.ts";
import { jobIdIn } from "./reply-text.ts";

const noFront = { command: "", args: [], env: {} };

async function connect({ url }: ServerHere, token: string, era: "modern" | "legacy"): Promise<OfficialClient> {
  const official = await connectOfficial({ url: `${url}/mcp`, front: noFront }, { wire: "http", era, token });
  onTestFinished(() => official.close());
  return official;
}

describe.each(["modern", "legacy"] as const)("the official client (%s)", (era) => {
  it("with a token that only reads sees its owner's jobs and is refused everything else as a tool's error", async () => {
    const server = await serveHere(makeHome());
    const runner = await connect(server, await server.give({ name: "runner", owner: "ada" }), era);
    const bob = await connect(server, await server.give({ name: "bob", owner: "bob" }), era);
    const reader = await connect(server, await server.give({ name: "reader", owner: "ada", scope: "read" }), era);
    const start = { name: "run_command", arguments: { command: "echo hello", wait_s: 20 } };
    const started = await runner.client.callTool(start);
    expect(started.isError ?? false).toBe(false);
    const id = jobIdIn(started);

    expect((await reader.client.listTools()).tools.map(({ name }) => name)).toContain("run_command");
    expect(jobIdIn(await reader.client.callTool({ name: "job_get", arguments: { id } }))).toBe(id);
    for (const call of [
      start,
      { name: "job_cancel", arguments: { ids: [id] } },
      { name: "job_retry", arguments: { ids: [id] } },
      { name: "job_send", arguments: { id, text: "x" } },
    ]) {
      expect(await reader.client.callTool(call)).toMatchObject({
        isError: true,
        content: [{ type: "text", text: expect.stringMatching(/^not_allowed: This needs the scope "run"/) as string }],
      });
    }
    expect(await reader.raw("tasks/get", { taskId: id })).toMatchObject({ kind: "result" });
    expect(await reader.raw("tasks/cancel", { taskId: id })).toMatchObject({ kind: "error" });
    expect(await bob.raw("tasks/get", { taskId: id })).toMatchObject({
      kind: "error",
      error: { code: -32_602, message: expect.stringContaining("not found") as string },
    });
    expect((await server.local.call("job_list", {})).jobs).toHaveLength(1);
    const { events } = await server.local.call("job_events", { id });
    expect(events[0]).toMatchObject({ by: "runner (mcp)" });
  });
});

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { bin } from "../faces/cli/cli.ts";
import { textOf } from "../faces/mcp/reply-text.ts";
import { shoutKind } from "../fixtures/shout-kind.ts";
import { makeHome, serveHere, type ServerHere } from "./server-here.ts";

const serveWithShout = (): Promise<ServerHere> => serveHere(makeHome(), {}, [shoutKind]);

describe("a kind that is added to the list of kinds, and nowhere else,", () => {
  it("has an address over HTTP, with an idempotency key, and is described in OpenAPI", async () => {
    const { url, token, local } = await serveWithShout();
    const post = (body: object): Promise<Response> =>
      fetch(`${url}/v1/start/run_shout`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": "once" },
        body: JSON.stringify(body),
      });
    const first = await post({ text: "hello", name: "greeting" });
    expect(first.status).toBe(201);
    const { id } = (await first.json()) as { id: string };
    const second = await post({ text: "hello", name: "greeting" });
    expect([second.status, await second.json()]).toMatchObject([200, { id, is_known: true }]);
    await local.call("job_wait", { ids: [id] });
    expect(await local.call("job_get", { id })).toMatchObject({ state: "succeeded", result: { heard: "HELLO" } });
    expect((await local.call("job_list", {})).jobs).toMatchObject([{ id, summary: "shout hello" }]);
    const refused = await fetch(`${url}/v1/start/run_shout`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ text: "" }),
    });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("text")]);
    const openApi = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
    expect(openApi.paths).toMatchObject({
      "/v1/start/run_shout": { post: { operationId: "postStartRunShout", parameters: [{ name: "idempotency-key" }] } },
    });
    expect(JSON.stringify(openApi.paths)).toContain("What to shout.");
  });

  it("has a tool for models", async () => {
    const { url, token } = await serveWithShout();
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    const { tools } = await client.listTools();
    const listed = tools.find(({ name }) => name === "run_shout");
    expect(Object.keys(listed?.inputSchema.properties ?? {})).toEqual(["text", "times", "mood", "quietly", "wait_s"]);
    const reply = await client.callTool({ name: "run_shout", arguments: { text: "hey", times: 2 } });
    expect(textOf(reply)).toContain("HEY HEY");
    await client.close();
  });

  it("has a command with a flag for each plain value, and completions", async () => {
    const { home } = await serveWithShout();
    const longhaul = async (...words: string[]): Promise<string> =>
      (await promisify(execFile)(process.execPath, [bin, ...words], { env: { ...process.env, LONGHAUL_HOME: home } }))
        .stdout;
    const help = await longhaul("start", "run-shout", "--help");
    for (const part of ["--text <text>", "what to shout", "--times <number>", "--mood <choice>", "--quietly"]) {
      expect(help).toContain(part);
    }
    const words = ["start", "run-shout", "--text", "good morning", "--times", "2", "--quietly"];
    expect(JSON.parse(await longhaul(...words))).toEqual({ heard: "good morning good morning" });
    await expect(longhaul("start", "run-shout", "--text", "")).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--text") as string,
    });
    expect(await longhaul("complete", "--", "start", "run-sh")).toContain("run-shout\t");
    expect(await longhaul("complete", "--", "start", "run-shout", "--mo")).toContain("--mood");
    expect(await longhaul("complete", "--", "start", "run-shout", "--mood", "")).toBe("happy\nangry\n");
    expect(await longhaul("complete", "--", "pause", "")).toContain("shout");
  });
});

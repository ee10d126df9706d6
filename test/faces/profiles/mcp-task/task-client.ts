import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { FakeModels } from "../../../kinds/agent/fake-models.ts";
import { useEach } from "../../../use-each.ts";
import { openTransport } from "../../mcp/official-client.ts";
import { serveBuilt, type TestServer } from "../../mcp/server-process.ts";

type Arguments = Record<string, unknown>;

/** A client of the profile mcp-task, its server, and the models that tasks talk to. */
export class TaskClient {
  readonly base: string;
  readonly models: FakeModels;
  #server: TestServer | undefined;
  #client: Client | undefined;

  constructor(base: string, models: FakeModels) {
    this.base = base;
    this.models = models;
  }

  get home(): string {
    return join(this.base, "home");
  }

  get client(): Client {
    if (this.#client === undefined) throw new Error("open the client first");
    return this.#client;
  }

  async open(variables: Record<string, string> = {}): Promise<void> {
    await this.close();
    const keys = { OPENAI_BASE_URL: this.models.url, OPENAI_API_KEY: "sk-secret-of-openai-1234" };
    this.#server = await serveBuilt(this.home, { ...keys, ...variables });
    this.#client = new Client({ name: "drop-in", version: "0.0.0" });
    const server = { ...this.#server, url: `${this.#server.url}/mcp-task` };
    await this.#client.connect(openTransport(server, "http", server.token));
  }

  async call(name: string, args: Arguments = {}): Promise<CallToolResult> {
    return this.client.callTool({ name, arguments: args });
  }

  async text(name: string, args: Arguments = {}): Promise<string> {
    const [first] = (await this.call(name, args)).content;
    return first?.type === "text" ? first.text : "";
  }

  async data(name: string, args: Arguments = {}): Promise<Record<string, unknown>> {
    const { structuredContent, content, isError } = await this.call(name, args);
    const [first] = content;
    expect({ isError, first }).toMatchObject({ isError: undefined });
    expect(first).toEqual({ type: "text", text: JSON.stringify(structuredContent, null, 2) });
    return structuredContent as Record<string, unknown>;
  }

  async error(name: string, args: Arguments = {}): Promise<string> {
    const { isError, content } = await this.call(name, args);
    const [first] = content;
    return isError === true && first?.type === "text" ? first.text : "no error";
  }

  async close(): Promise<void> {
    await this.#client?.close();
    await this.#server?.stop();
  }

  async cleanUp(): Promise<void> {
    await this.close();
    await this.models.close();
    await rm(this.base, { recursive: true, force: true });
  }
}

/** Gives each test of the file a client of its own. */
export function useTaskClient(): () => TaskClient {
  return useEach(
    async () => {
      const base = await realpath(await mkdtemp(join(tmpdir(), "longhaul-task-")));
      return new TaskClient(base, await FakeModels.open());
    },
    (client) => client.cleanUp(),
  );
}

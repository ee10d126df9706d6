import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { messageOf } from "../../../src/job/failure.ts";
import { defineProfile, defineTool } from "../../../src/faces/profiles/profile.ts";
import { createMcpEndpoint, type McpEndpoint } from "../../../src/mcp.ts";
import { Puppet } from "../../engine/puppet.ts";
import { useWorld } from "../../engine/world.ts";
import { parts } from "./parts.ts";

const doubleTool = defineTool({
  name: "double",
  description: "Doubles a number.",
  input: z.object({ number: z.number() }),
  isOnceOnly: true,
  run: async (_context, { number }) => `${number * 2}`,
});
const echoTool = defineTool({
  name: "echo",
  description: "Tells what it was given.",
  input: z.looseObject({ loud: z.boolean().default(false) }),
  listedInput: z.object({ loud: z.boolean(), text: z.string() }),
  run: async (_context, input, { unknown }) => `${JSON.stringify(input)} ${unknown.join()}`,
});
const profile = defineProfile({
  serverName: "toy",
  instructions: (startTools) => `Start tools: ${startTools.length}`,
  tools: [doubleTool, echoTool],
  aliases: { twice: "double", say: "echo" },
  toResult: (text: string) => ({ content: [{ type: "text", text }] }),
  toError: (error, toolName) => ({
    content: [{ type: "text", text: `${toolName} failed: ${messageOf(error)}` }],
    isError: true,
  }),
  present: async () => ({ content: [] }),
});

describe("a profile", () => {
  const world = useWorld();
  let endpoint: McpEndpoint;
  let client: Client;
  beforeEach(async () => {
    const engine = await world().open([new Puppet().kind]);
    endpoint = createMcpEndpoint({ engine, build: (context) => profile.build(context, parts) });
    client = new Client({ name: "plain", version: "0.0.0" }, { versionNegotiation: { mode: "auto" } });
    const fetch = (url: string | URL, init?: RequestInit): Promise<Response> =>
      endpoint.fetch(new Request(url, init), { actor: {}, isIdentified: true });
    await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch }));
  });
  afterEach(async () => {
    await client.close();
    await endpoint.close();
  });

  it("is a server with the name, the instructions and the tools that it says", async () => {
    const { tools } = await client.listTools();
    expect(client.getServerVersion()).toMatchObject({ name: "toy", version: "0.0.0" });
    expect(client.getInstructions()).toBe("Start tools: 0");
    expect(tools.map(({ name }) => name)).toEqual(["double", "echo"]);
  });

  it("checks the arguments of a call by the tool's schema, under each of its names", async () => {
    const answers = [
      await client.callTool({ name: "double", arguments: { number: 4 } }),
      await client.callTool({ name: "twice", arguments: { number: "5" } }),
    ];
    expect(answers).toMatchObject([{ content: [{ text: "8" }] }, { content: [{ text: "10" }] }]);
  });

  it("words errors in its own way, those of arguments too", async () => {
    const answer = await client.callTool({ name: "double", arguments: { number: "many" } });
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^double failed: number must be a number, got "many"/) }],
    });
  });

  it("lists what a tool shows where that is more than it checks, and tells it what it does not know", async () => {
    const { tools } = await client.listTools();
    expect(Object.keys(tools[1]?.inputSchema.properties ?? {})).toEqual(["loud", "text"]);
    const answer = await client.callTool({ name: "say", arguments: { loud: "true", text: 7, other: 1 } });
    expect(answer).toMatchObject({ content: [{ text: '{"loud":true,"text":7,"other":1} other' }] });
  });

  it("names the tools that must not be called twice under every name that they have", () => {
    expect(profile.onceOnlyTools).toEqual(["double", "twice"]);
  });
});

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { combineProfiles } from "../../../src/faces/profiles/combine-profiles.ts";
import { defineProfile, defineTool, type McpProfile } from "../../../src/faces/profiles/profile.ts";
import { taskWords } from "../../../src/faces/profiles/agent-prompts.ts";
import { messageOf } from "../../../src/job/failure.ts";
import { createMcpEndpoint, type McpEndpoint } from "../../../src/mcp.ts";
import { Puppet } from "../../engine/puppet.ts";
import { useWorld } from "../../engine/world.ts";
import { parts } from "./parts.ts";

interface Toy {
  readonly tool: string;
  readonly alias?: string;
  readonly instructions?: string;
  readonly hasPrompts?: boolean;
}

/** A profile with one tool, whose results and errors begin with the name of the server. */
function toy(serverName: string, { tool, alias, instructions, hasPrompts = false }: Toy): McpProfile {
  return defineProfile({
    serverName,
    ...(instructions === undefined ? {} : { instructions: () => instructions }),
    tools: [
      defineTool({
        name: tool,
        description: "Tells what it was given.",
        input: z.object({ text: z.string() }),
        isOnceOnly: true,
        run: async (_context, { text }) => text,
      }),
    ],
    aliases: alias === undefined ? {} : { [alias]: tool },
    toResult: (text: string) => ({ content: [{ type: "text", text: `${serverName}: ${text}` }] }),
    toError: (error) => ({ content: [{ type: "text", text: `${serverName}! ${messageOf(error)}` }], isError: true }),
    present: async () => ({ content: [] }),
    ...(hasPrompts ? { promptWords: taskWords } : {}),
  });
}

const combine = (...named: [string, McpProfile][]): McpProfile => combineProfiles(named, () => []);

describe("several profiles at once", () => {
  const world = useWorld();
  let endpoint: McpEndpoint;
  let client: Client;
  const all = combine(
    ["one", toy("first", { tool: "echo", alias: "say", instructions: "Use echo." })],
    ["two", toy("second", { tool: "repeat", alias: "again", instructions: "Use repeat.", hasPrompts: true })],
  );
  beforeEach(async () => {
    const engine = await world().open([new Puppet().kind]);
    endpoint = createMcpEndpoint({ engine, build: (context) => all.build(context, parts) });
    client = new Client({ name: "plain", version: "0.0.0" }, { versionNegotiation: { mode: "auto" } });
    const fetch = (url: string | URL, init?: RequestInit): Promise<Response> =>
      endpoint.fetch(new Request(url, init), { actor: {}, isIdentified: true });
    await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch }));
  });
  afterEach(async () => {
    await client.close();
    await endpoint.close();
  });

  it("are one server with the tools, the instructions and the prompts of each", async () => {
    expect(client.getServerVersion()).toMatchObject({ name: "longhaul" });
    expect(client.getInstructions()).toBe("Use echo.\n\nUse repeat.");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["echo", "repeat"]);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["solve", "plan", "code"]);
  });

  it("answer each tool, under each of its names, in the words of its own profile", async () => {
    const texts = [];
    for (const name of ["echo", "say", "repeat", "again"]) {
      for (const args of [{ text: "hi" }, {}]) {
        const { content } = await client.callTool({ name, arguments: args });
        texts.push(content.map((block) => (block.type === "text" ? block.text : "")).join(""));
      }
    }
    const missing = "text is missing: it must be a string.";
    expect(texts).toEqual(
      ["first", "first", "second", "second"].flatMap((server) => [`${server}: hi`, `${server}! ${missing}`]),
    );
  });

  it("name the tools that must not be called twice under every name that they have", () => {
    expect(all.onceOnlyTools).toEqual(["echo", "say", "repeat", "again"]);
  });

  it("have no instructions where none has any", () => {
    const silent = combine(["one", toy("first", { tool: "echo" })], ["two", toy("second", { tool: "repeat" })]);
    expect(silent.instructions).toBeUndefined();
  });

  it.each([
    ["two tools", { tool: "crawl_site" }, { tool: "crawl_site" }],
    ["a tool and another name of one", { tool: "crawl_site" }, { tool: "other", alias: "crawl_site" }],
    ["two other names", { tool: "one", alias: "crawl_site" }, { tool: "other", alias: "crawl_site" }],
  ])("are refused by name if %s are the same", (_what, first, second) => {
    expect(() => combine(["core", toy("a", first)], ["searchclaw", toy("b", second)])).toThrow(
      "crawl_site is a tool of both core and searchclaw: choose one of these profiles.",
    );
  });
});

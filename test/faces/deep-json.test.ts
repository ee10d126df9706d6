import { describe, expect, it } from "vitest";
import { makeHome, serveHere, type ServerHere } from "../server/server-here.ts";

const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const initialize = '"clientInfo":{"name":"test","version":"1"},"protocolVersion":"2025-11-25","capabilities":';

/** Where JSON comes in, and what is sent there. */
const doors: readonly (readonly [string, string, string])[] = [
  ["/v1/jobs", "", `{"kind":"endpoint","input":{"endpoint":"x","input":{"a":${deep}}}}`],
  ["/v1/jobs", "", deep],
  ["/call/job_submit", "", `{"kind":"endpoint","input":{"endpoint":"x","input":{"a":${deep}}}}`],
  ["/call/job_submit", "", deep],
  ["/v2/x/run", "", `{"input":{"a":${deep}}}`],
  ["/mcp", "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{${initialize}${deep}}}`],
  [
    "/mcp",
    "2026-07-28",
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"job_list","arguments":${deep}}}`,
  ],
  ["/mcp", "", deep],
];

function post({ url, token }: ServerHere, path: string, revision: string, body: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(revision === ""
      ? {}
      : { "mcp-protocol-version": revision, "mcp-method": "tools/call", "mcp-name": "job_list" }),
  };
  return fetch(`${url}${path}`, { method: "POST", headers, body });
}

describe("JSON that is nested without end", () => {
  it("is refused with one clear 400 wherever it comes in, and is no fault of the server", async () => {
    const server = await serveHere(makeHome());
    for (const [path, revision, body] of doors) {
      const response = await post(server, path, revision, body);
      const answer = await response.text();
      expect({ path, revision, status: response.status, answer }).toMatchObject({
        status: 400,
        answer: expect.stringMatching(/nested more than \d+ levels deep/) as string,
      });
    }
    expect(server.log()).not.toContain("failed");
  });
});

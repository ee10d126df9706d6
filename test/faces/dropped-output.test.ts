import { Client } from "@modelcontextprotocol/client";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeCli } from "./cli/cli.ts";
import { frontIn } from "./mcp/server-process.ts";
import { openTransport } from "./mcp/official-client.ts";

const note = /108,894 bytes, [\d,]+ bytes in the middle were dropped and not searched/;

it("a search says how much was dropped and not searched to those who read plain text, too", async () => {
  const cli = makeCli();
  writeFileSync(join(cli.home, "config.json"), JSON.stringify({ shell: { output_cap_mb: 0.05 } }));
  const id = await cli.detach("seq 1 20000");
  await cli.run(["wait", id]);

  const logs = await cli.run(["logs", id, "--grep", "^1$"]);
  expect(logs).toMatchObject({ code: 0, stdout: "1\n", stderr: expect.stringMatching(note) as string });
  expect((await cli.run(["logs", id, "--grep", "nothing"])).stderr).toMatch(note);
  expect((await cli.run(["logs", id, "--tail", "1"])).stderr).toBe("");
  expect((await cli.run(["wait", id, "--until", "nothing"])).stderr).toMatch(note);

  const { url } = await cli.client.call("server_status", {});
  const token = readFileSync(join(cli.home, "token"), "utf8").trim();
  const ask = (accept: string): Promise<Response> =>
    fetch(`${url}/v1/jobs/${id}/output?grep=nothing`, { headers: { authorization: `Bearer ${token}`, accept } });
  expect((await ask("text/plain")).headers.get("x-longhaul-note")).toMatch(note);
  expect(await (await ask("text/event-stream")).text()).toMatch(note);

  const client = new Client({ name: "plain", version: "0.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(openTransport({ url: "", front: frontIn(cli.home) }, "stdio", ""));
  const { contents } = await client.readResource({ uri: `job://${id}/output?grep=nothing` });
  expect(contents).toMatchObject([{ text: expect.stringMatching(note) as string }]);
  await client.close();
});

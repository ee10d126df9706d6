import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call } from "../door/access-world.ts";
import { makeCli, makeSharedCli, type Cli } from "./cli.ts";

const cli = makeSharedCli();

async function address(from: Cli): Promise<string> {
  return (await from.client.call("server_status", {})).url ?? "";
}

async function status(from: Cli, token: string, operation = "server_status", body: object = {}): Promise<number> {
  return (await call(await address(from), operation, { token, body })).status;
}

describe("token", () => {
  it("create prints the token alone, which opens the HTTP door until it is revoked", async () => {
    const { code, stdout, stderr } = await cli.run(["token", "create", "ci"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^lh_[0-9a-f]{12}_[\w-]{43}\n$/) as string]);
    expect(stderr).toMatch(/^This is token "ci" \([0-9a-f]{12}\): run, for the jobs of local\. It is shown only once/);
    const token = stdout.trim();
    expect([await status(cli, token), await status(cli, token, "jobs_prune")]).toEqual([200, 403]);
    const revoked = await cli.run(["token", "revoke", "ci"]);
    expect(revoked.stdout).toMatch(/^Revoked token "ci"/);
    expect(await status(cli, token)).toBe(401);
    expect((await cli.run(["token", "revoke", "ci"])).code).toBe(2);
  });

  it("list shows what each may, and never a secret; revoked ones only when asked", async () => {
    const words = ["--owner", "ada", "--scope", "read", "--kind", "shell", "--expires", "30d", "--rate", "100/min"];
    const made = JSON.parse((await cli.run(["token", "create", "laptop", ...words, "--json"])).stdout) as object;
    const { token, ...shown } = made as { token: string; id: string; expires_at: string };
    expect(shown).toMatchObject({
      name: "laptop",
      owner: "ada",
      scope: "read",
      kinds: ["shell"],
      rate: "100/min",
      state: "active",
      created_by: "local (cli)",
    });
    expect(Date.parse(shown.expires_at)).toBeGreaterThan(Date.now() + 29 * 86_400_000);
    await cli.run(["token", "create", "gone"]);
    await cli.run(["token", "revoke", "gone"]);
    const { tokens } = JSON.parse((await cli.run(["token", "list", "--json"])).stdout) as { tokens: object[] };
    expect(tokens).toEqual([shown]);
    const all = await cli.run(["token", "list", "--all"]);
    expect(all.stdout).toMatch(/ID +NAME +STATE +SCOPE +OWNER/);
    expect(all.stdout).toMatch(/gone +revoked/);
    expect(all.stdout).not.toContain(token.slice(-43));
    await cli.run(["token", "revoke", shown.id]);
    expect((await cli.run(["token", "list"])).stderr).toContain("No tokens");
  });

  it("a token starts jobs in its owner's name, which others do not see", async () => {
    const create = async (...words: string[]): Promise<string> =>
      (await cli.run(["token", "create", ...words])).stdout.trim();
    const [ada, bob] = [await create("ada", "--owner", "ada"), await create("bob", "--owner", "bob")];
    const all = await create("all", "--all-owners", "--scope", "admin");
    const { body } = await call(await address(cli), "run_command", { token: ada, body: { command: "true" } });
    const { id } = body as { id: string };
    const seen = await Promise.all([ada, bob, all].map((token) => status(cli, token, "job_get", { id })));
    expect(seen).toEqual([200, 404, 200]);
    const events = await cli.run(["events", id, "--json"]);
    expect(events.stdout).toContain("ada (http)");
  });

  const bad: readonly [string[], RegExp][] = [
    [["create"], /missing required argument 'name'/i],
    [["create", "x", "--scope", "root"], /read, run, admin/],
    [["create", "x", "--expires", "soon"], /30s, 10m or 1h30m/],
    [["create", "x", "--rate", "many"], /100\/min/],
    [["create", "x", "--kind", "nothing"], /no kind "nothing"/],
    [["create", "x", "--all-owners"], /has the scope "read" or "admin"/],
    [["revoke", "nothing"], /no token "nothing"/],
  ];
  it.each(bad)("refuses %j with one sentence", async (words, message) => {
    const { code, stdout, stderr } = await cli.run(["token", ...words]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });
});

describe("serve beyond this machine", () => {
  it("refuses without a token for others", async () => {
    const { code, stderr } = await makeCli().run(["serve", "--host", "0.0.0.0"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("longhaul token create") as string]);
  });
});

it("what the command line has printed of a token is in no file of the folder", async () => {
  const own = makeCli();
  const token = (await own.run(["token", "create", "ci"])).stdout.trim();
  expect(await status(own, token)).toBe(200);
  await own.run(["server", "stop"]);
  const files = readdirSync(own.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map(({ name, parentPath }) => readFileSync(join(parentPath, name), "latin1"));
  expect(texts.some((text) => text.includes(token.slice(3, 15)))).toBe(true);
  expect(texts.some((text) => text.includes(token.slice(-43)))).toBe(false);
});

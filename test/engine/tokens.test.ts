import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Engine, LogEntry } from "../../src/index.ts";
import type { TokenRequest } from "../../src/engine/tokens.ts";
import { Puppet } from "./puppet.ts";
import { refusal, useWorld } from "./world.ts";

const world = useWorld();

async function open(log: (entry: LogEntry) => void = () => undefined): Promise<Engine> {
  return world().openTimed([new Puppet().kind, new Puppet({ name: "other" }).kind], { log });
}

const status = async (engine: Engine, text: string): Promise<string> => (await engine.tokens.check(text)).status;

describe("a token", () => {
  it("is known again by its text, and by nothing that is only like it", async () => {
    const engine = await open();
    const { text, token } = await engine.tokens.create({ name: "ci" });
    expect(text).toMatch(/^lh_[0-9a-f]{12}_[\w-]{43}$/);
    expect(await engine.tokens.check(text)).toEqual({ status: "valid", token });
    const other = await engine.tokens.create({ name: "other" });
    const last = text.endsWith("A") ? "B" : "A";
    const forged = [
      `${text.slice(0, -1)}${last}`,
      `${text}x`,
      text.slice(0, -1),
      text.slice(3),
      text.toUpperCase(),
      `lh_${token.id}_${other.text.slice(-43)}`,
      `lh_${token.id}_`,
      "",
    ];
    for (const wrong of forged) expect(await status(engine, wrong)).toBe("unknown");
  });

  it("is for the jobs of local, to start and steer them, unless more is said", async () => {
    const { token } = await (await open()).tokens.create({ name: "ci" }, { by: "local (cli)" });
    expect(token).toEqual({
      id: token.id,
      name: "ci",
      owner: "local",
      scope: "run",
      createdAt: world().clock.now(),
      createdBy: "local (cli)",
    });
  });

  it("ends when its time has come", async () => {
    const engine = await open();
    const { text } = await engine.tokens.create({ name: "ci", lifeMs: 60_000 });
    await world().clock.advance(59_999);
    expect(await status(engine, text)).toBe("valid");
    await world().clock.advance(1);
    expect(await status(engine, text)).toBe("expired");
  });

  it("ends at once when it is revoked, by id or name, also across a restart", async () => {
    const engine = await open();
    const byName = await engine.tokens.create({ name: "ci" });
    await engine.tokens.revoke("ci");
    expect(await status(engine, byName.text)).toBe("revoked");
    const byId = await engine.tokens.create({ name: "ci" });
    expect(await engine.tokens.revoke(byId.token.id)).toMatchObject({ revokedAt: world().clock.now() });
    await expect(engine.tokens.revoke("ci")).rejects.toMatchObject(refusal("not_found", /has already been revoked/));
    await expect(engine.tokens.revoke("nothing")).rejects.toMatchObject(refusal("not_found", /no token "nothing"/));
    const reopened = await world().reopen();
    expect([await status(reopened, byName.text), await status(reopened, byId.text)]).toEqual(["revoked", "revoked"]);
  });

  it("says when it was used, to the minute", async () => {
    const engine = await open();
    const { text } = await engine.tokens.create({ name: "ci" });
    const used = async (): Promise<number | undefined> => (await engine.tokens.list())[0]?.lastUsedAt;
    expect(await used()).toBeUndefined();
    const first = world().clock.now();
    await engine.tokens.check(text);
    await world().clock.advance(59_000);
    await engine.tokens.check(text);
    expect(await used()).toBe(first);
    await world().clock.advance(1_000);
    await engine.tokens.check(text);
    await world().clock.advance(1);
    expect(await used()).toBe(first + 60_000);
  });

  it("leaves its secret nowhere: not in the files, not in lists, not in the log", async () => {
    const entries: LogEntry[] = [];
    const engine = await open((entry) => entries.push(entry));
    const { text, token } = await engine.tokens.create({ name: "ci" }, { by: "local (cli)" });
    await engine.tokens.check(text);
    const secret = text.slice(-43);
    expect(JSON.stringify(await engine.tokens.list())).not.toContain(secret);
    await engine.tokens.revoke("ci", { by: "ada (http)" });
    expect(entries).toEqual([
      { level: "info", message: "token created", subject: `ci (${token.id})`, by: "local (cli)" },
      { level: "info", message: "token revoked", subject: `ci (${token.id})`, by: "ada (http)" },
    ]);
    await world().stop();
    const files = readdirSync(world().home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.map(({ name, parentPath }) => readFileSync(join(parentPath, name)));
    // The id is there, so the right files were looked at.
    expect(bytes.some((each) => each.includes(token.id))).toBe(true);
    for (const each of bytes) {
      expect(each.includes(secret)).toBe(false);
      expect(each.includes(Buffer.from(secret, "base64url"))).toBe(false);
    }
  });
});

describe("making a token", () => {
  const bad: readonly [object, RegExp][] = [
    [{ name: "" }, /name/],
    [{ name: "a\nb" }, /name.*control characters/],
    [{ name: "x", rate: "100" }, /rate.*100\/min/],
    [{ name: "x", rate: "0/min" }, /rate/],
    [{ name: "x", lifeMs: 1 }, /lifeMs/],
    [{ name: "x", scope: "root" }, /scope/],
    [{ name: "x", kinds: [] }, /kinds/],
    [{ name: "x", owner: "ada", allOwners: true, scope: "admin" }, /either an owner or all owners/],
    [{ name: "x", allOwners: true }, /all owners has the scope "read" or "admin"/],
  ];

  it.each(bad)("refuses %j", async (request, message) => {
    const engine = await open();
    await expect(engine.tokens.create(request as { name: string })).rejects.toMatchObject(
      refusal("invalid_input", message),
    );
    expect(await engine.tokens.list()).toEqual([]);
  });

  it("refuses a kind that is not there, and a name that is taken", async () => {
    const engine = await open();
    await expect(engine.tokens.create({ name: "x", kinds: ["nothing"] })).rejects.toMatchObject(
      refusal("unknown_kind"),
    );
    await engine.tokens.create({ name: "x" });
    await expect(engine.tokens.create({ name: "x" })).rejects.toMatchObject(refusal("conflict"));
  });

  it("gives nobody more than who makes it has", async () => {
    const { tokens } = await open();
    const ada = { owner: "ada", scope: "admin", kinds: ["puppet"] } as const;
    const more: TokenRequest[] = [
      { name: "more", owner: "bob" },
      { name: "more", allOwners: true, scope: "admin" },
      { name: "more", kinds: ["puppet", "other"] },
    ];
    for (const request of more) await expect(tokens.create(request, ada)).rejects.toMatchObject(refusal("not_allowed"));
    const { token } = await tokens.create({ name: "as much" }, ada);
    expect(token).toMatchObject({ owner: "ada", kinds: ["puppet"] });
  });

  it("shows and revokes only tokens of the owner", async () => {
    const { tokens } = await open();
    await tokens.create({ name: "bob's", owner: "bob" });
    await tokens.create({ name: "all", allOwners: true, scope: "admin" });
    await tokens.create({ name: "ada's", owner: "ada" });
    const ada = { owner: "ada", scope: "admin" } as const;
    expect((await tokens.list(ada)).map(({ name }) => name)).toEqual(["ada's"]);
    for (const name of ["bob's", "all"])
      await expect(tokens.revoke(name, ada)).rejects.toMatchObject(refusal("not_found"));
    expect((await tokens.list()).every(({ revokedAt }) => revokedAt === undefined)).toBe(true);
  });
});

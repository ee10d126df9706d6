import { describe, expect, it } from "vitest";
import type { TokenRecord } from "../../../src/store/token-store.ts";
import { second, t0 } from "../drafts.ts";
import { refusal, useWorld, type OpenStore } from "../world.ts";

const token: TokenRecord = { id: "a1", name: "ci", digest: "00ff", scope: "run", createdAt: t0 };
const full: TokenRecord = {
  id: "b2",
  name: "ada",
  digest: "ff00",
  scope: "admin",
  createdAt: t0,
  owner: "ada",
  kinds: ["work", "other"],
  rate: "100/min",
  createdBy: "local (cli)",
  expiresAt: t0 + second,
};

export function describeTokens(open: OpenStore): void {
  describe("tokens", () => {
    const world = useWorld(open);

    it("are found by id and listed in order, as they were added, also after a restart", async () => {
      await world().store.tokens.add(token);
      await world().store.tokens.add(full);
      await world().restart();
      const { tokens } = world().store;
      expect(await tokens.list()).toEqual([token, full]);
      expect(await tokens.find("b2")).toEqual(full);
      expect(await tokens.find("ada")).toBeUndefined();
    });

    it("a name is taken until its token is revoked", async () => {
      const { tokens } = world().store;
      await tokens.add(token);
      await expect(tokens.add({ ...token, id: "c3" })).rejects.toMatchObject(refusal("conflict"));
      await tokens.revoke("a1", t0);
      await tokens.add({ ...token, id: "c3" });
      expect((await tokens.list()).map(({ id }) => id)).toEqual(["a1", "c3"]);
    });

    it("are revoked once and for good, and say since when", async () => {
      const { tokens } = world().store;
      await tokens.add(token);
      expect(await tokens.revoke("a1", t0 + second)).toBe(true);
      expect(await tokens.revoke("a1", t0 + 2 * second)).toBe(false);
      expect(await tokens.revoke("nothing", t0)).toBe(false);
      await world().restart();
      expect(await world().store.tokens.find("a1")).toEqual({ ...token, revokedAt: t0 + second });
    });

    it("note their use at most once a minute", async () => {
      const { tokens } = world().store;
      await tokens.add(token);
      const lastUse = async (): Promise<number | undefined> => (await tokens.find("a1"))?.lastUsedAt;
      await tokens.touch("a1", t0);
      await tokens.touch("a1", t0 + 59 * second);
      expect(await lastUse()).toBe(t0);
      await tokens.touch("a1", t0 + 60 * second);
      expect(await lastUse()).toBe(t0 + 60 * second);
    });

    it("take the requests of their rate at once and then evenly, however many ask together", async () => {
      const { tokens } = world().store;
      const take = (id: string, now: number): Promise<number | undefined> => tokens.take(id, { rate: "3/min", now });
      await tokens.add(token);
      await tokens.add(full);
      const answers = await Promise.all(Array.from({ length: 6 }, () => take("a1", t0)));
      expect(answers.filter((answer) => answer === undefined)).toHaveLength(3);
      expect(answers.filter((answer) => answer === 20 * second)).toHaveLength(3);
      expect(await take("b2", t0)).toBeUndefined();
      expect(await take("a1", t0 + 19 * second)).toBe(second);
      expect(await take("a1", t0 + 20 * second)).toBeUndefined();
      expect(await take("a1", t0 + 20 * second)).toBe(20 * second);
    });
  });
}

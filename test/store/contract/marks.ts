import { describe, expect, it } from "vitest";
import { second, t0 } from "../drafts.ts";
import { useWorld, type OpenStore } from "../world.ts";

export function describeMarks(open: OpenStore): void {
  describe("marks", () => {
    const world = useWorld(open);
    const replace = (before: string | undefined, value: string, now = t0, name = "a"): Promise<boolean> =>
      world().store.marks.replace(name, { before, value, now, expiresAt: now + 10 * second });
    const get = (now = t0, name = "a"): Promise<string | undefined> => world().store.marks.get(name, now);

    it("are kept under their names, also after a restart", async () => {
      expect(await get()).toBeUndefined();
      expect(await replace(undefined, "1")).toBe(true);
      await world().restart();
      expect(await get()).toBe("1");
      expect(await get(t0, "b")).toBeUndefined();
    });

    it("are replaced only by who has read what is there", async () => {
      await replace(undefined, "1");
      expect(await replace(undefined, "2")).toBe(false);
      expect(await replace("0", "2")).toBe(false);
      expect(await get()).toBe("1");
      expect(await replace("1", "2")).toBe(true);
      expect(await get()).toBe("2");
    });

    it("go to one of those who replace them at the same time", async () => {
      await replace(undefined, "0");
      for (const before of [undefined, "0"]) {
        const name = `${before ?? "no"} mark`;
        if (before !== undefined) await replace(undefined, before, t0, name);
        const wins = await Promise.all([1, 2, 3, 4].map((n) => replace(before, `by ${n}`, t0, name)));
        expect(wins.filter(Boolean)).toHaveLength(1);
        expect(await get(t0, name)).toBe(`by ${wins.indexOf(true) + 1}`);
      }
    });

    it("are forgotten when their time has come, and may then be set anew", async () => {
      await replace(undefined, "1");
      expect(await get(t0 + 10 * second - 1)).toBe("1");
      expect(await get(t0 + 10 * second)).toBeUndefined();
      expect(await replace("1", "2", t0 + 10 * second)).toBe(false);
      expect(await replace(undefined, "2", t0 + 10 * second)).toBe(true);
      expect(await get(t0 + 10 * second)).toBe("2");
    });
  });
}

import { describe, expect, it } from "vitest";
import { day, t0 } from "../drafts.ts";
import { refusal, useWorld, type OpenStore, type World } from "../world.ts";

export function describeSearching(open: OpenStore): void {
  describe("searching for words", () => {
    const world = useWorld(open);
    describeWhere(world);
    describeWords(world);
  });
}

async function search(world: World, text: string): Promise<string[]> {
  return (await world.store.list({ text }, { limit: 100 })).jobs.map(({ name }) => name ?? "");
}

function describeWhere(world: () => World): void {
  it("words are found in a job's name and input", async () => {
    await world().create(
      { name: "nightly build" },
      { name: "crawl", input: { url: "https://nightly.example.com/" } },
      { name: "other" },
    );
    expect(await search(world(), "nightly")).toEqual(["crawl", "nightly build"]);
  });

  it.each(["failed", "timed_out"] as const)("words are found in the last error of a job that %s", async (status) => {
    await world().submit({ name: "fine", kind: "other" });
    const failure = { code: "dns_lookup", message: "The name kiwi.example was not found.", retryable: true };
    const { lease } = await world().start({ name: "broken", input: { word: "mango" } });
    expect(await search(world(), "mango")).toEqual(["broken"]);
    await world().store.settle(lease, { type: status, failure }, { now: t0 });
    expect(await search(world(), "kiwi")).toEqual(["broken"]);
    expect(await search(world(), "mango")).toEqual(["broken"]);
    expect(await search(world(), "broken")).toEqual(["broken"]);
  });

  it("each word may be found in another place", async () => {
    const failure = { code: "error", message: "kiwi", retryable: true };
    const { lease } = await world().start({ name: "apple", input: { word: "mango" } });
    await world().store.settle(lease, { type: "failed", failure }, { now: t0 });
    expect(await search(world(), "kiwi apple mango")).toEqual(["apple"]);
  });

  it("a job is found at once, and after a restart", async () => {
    await world().submit({ name: "first", input: "needle" });
    expect(await search(world(), "needle")).toEqual(["first"]);
    await world().submit({ name: "second", input: "needle" });
    await world().restart();
    expect(await search(world(), "needle")).toEqual(["second", "first"]);
  });

  it("a purged job is found no more, and what is created after it is", async () => {
    await world().finish("succeeded", { name: "old", input: "needle" });
    expect(await search(world(), "needle")).toEqual(["old"]);
    await world().store.purge(t0 + 30 * day, 10);
    expect(await search(world(), "needle")).toEqual([]);
    await world().submit({ name: "new", input: "needle" });
    expect(await search(world(), "needle")).toEqual(["new"]);
  });
}

function describeWords(world: () => World): void {
  it("all words must occur, in any order and case", async () => {
    await world().create({ name: "Nightly build of main" }, { name: "nightly crawl" });
    expect(await search(world(), "MAIN nightly")).toEqual(["Nightly build of main"]);
    expect(await search(world(), "nightly nothing")).toEqual([]);
  });

  it("a word may be the beginning of one that occurs, and not its middle or end", async () => {
    await world().create({ name: "nightly" }, { name: "knight" });
    expect(await search(world(), "night")).toEqual(["nightly"]);
    expect(await search(world(), "n")).toEqual(["nightly"]);
    expect(await search(world(), "ightly")).toEqual([]);
  });

  it("words beyond English are found", async () => {
    await world().create({ name: "Übersetzung prüfen" }, { name: "заказ 42" }, { name: "東京" });
    expect(await search(world(), "prüf")).toEqual(["Übersetzung prüfen"]);
    expect(await search(world(), "Заказ")).toEqual(["заказ 42"]);
    expect(await search(world(), "東京")).toEqual(["東京"]);
  });

  it("words are found without their accents, and however their letters are written", async () => {
    await world().create({ name: "Œuvre cre\u0301ée" }, { name: "ΟΔΟΣ" }, { name: "ﬁnal" });
    for (const text of ["créée", "creee", "CRÉÉE", "cre\u0301"]) {
      expect(await search(world(), text)).toEqual(["Œuvre cre\u0301ée"]);
    }
    expect(await search(world(), "οδος")).toEqual(["ΟΔΟΣ"]);
    expect(await search(world(), "final")).toEqual(["ﬁnal"]);
  });

  it("a word longer than any index takes is found by its beginning", async () => {
    await world().submit({ name: "long", input: "w".repeat(3_500) });
    expect(await search(world(), "w".repeat(3_000))).toEqual(["long"]);
    expect(await search(world(), "wwww")).toEqual(["long"]);
  });

  it("a word at the beginning of a line of the input is found", async () => {
    await world().submit({ name: "script", input: { script: "cd app\nmake\ttest\r\ndeploy" } });
    for (const word of ["make", "test", "deploy"]) expect(await search(world(), word)).toEqual(["script"]);
  });

  it.each(["night*", "name:night", "night OR", "NOT night", "(night", "night^2", "-night", "{night}", "a\0b", "'n\""])(
    "the text %j is words and punctuation, not a query language",
    async (text) => {
      await world().submit({ name: "night not or name a b 2" });
      expect(await search(world(), text)).toEqual(["night not or name a b 2"]);
    },
  );

  it.each(["", " ", '"', "'*'", "🙂"])("the text %j, which has no word, is refused", async (text) => {
    await expect(search(world(), text)).rejects.toMatchObject(refusal("invalid_input"));
  });

  it("letters that an index may not know find nothing rather than fail", async () => {
    await world().submit({ name: "plain" });
    for (const text of ["𞤀𞤣𞤤𞤢𞤥", "e\u0301cole", "plain 𞤀", "ⅷ", "①"]) {
      expect(await search(world(), text)).toEqual([]);
    }
  });
}

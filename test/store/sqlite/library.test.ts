import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KeptPage } from "../../../src/kinds/page/contract.ts";
import type { Library, LibraryLimits, SearchRequest } from "../../../src/library/library.ts";
import { connect } from "../../../src/store/sqlite/driver.ts";
import { openTestLibrary } from "../../library/open.ts";
import { keptPage } from "../../library/pages.ts";

const everybody = {};

describe("the design library", () => {
  let folder = "";
  let library: Library;
  const moved: string[] = [];
  const open = (given: Partial<LibraryLimits> = {}): Library =>
    openTestLibrary(folder, given, (path) => moved.push(path));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "longhaul-library-"));
    moved.length = 0;
    library = open();
  });
  afterEach(async () => {
    await library.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const search = async (request: Partial<SearchRequest>, owner?: string): Promise<string[]> => {
    const asked: SearchRequest = { kind: "section", limit: 50, offset: 0, ...request };
    const { results } = await library.search(asked, owner === undefined ? {} : { owner });
    return results.map(({ title }) => title);
  };

  const harbour = keptPage({
    url: "https://harbour.example/",
    title: "Harbour",
    sections: [
      { type: "hero", heading: "Tools for small harbours", text: "Berths, tides and bills in one place." },
      {
        type: "pricing",
        heading: "Prices",
        text: "Nineteen a month for up to twenty berths.",
        colors: { background: "#0a0f1e", text: "#ffffff", gradient: false, image: false },
      },
      { type: "footer", heading: "", text: "Flensburg" },
    ],
    motions: [
      { name: "slide-in", category: "reveal", trigger: "scroll", durationMs: 800, properties: ["transform"] },
      { name: "glow", category: "hover_effect", trigger: "hover", durationMs: 200, properties: ["color"] },
    ],
    gradients: ["linear-gradient(90deg, rgb(0, 0, 255), rgb(255, 0, 0))"],
  });

  test("finds sections by the words in them and by what they look like, the most similar first", async () => {
    await library.keep(harbour, 0);
    expect(await search({ query: "tides" })).toEqual(["Tools for small harbours"]);
    expect((await search({ query: "price per month" }))[0]).toBe("Prices");
    expect((await search({ query: "dark section" }))[0]).toBe("Prices");
    expect(await search({ query: "quantum" })).toEqual([]);
    expect(await search({ types: ["footer"] })).toEqual([""]);
  });

  test("finds motions and backgrounds, each by its own words", async () => {
    await library.keep(harbour, 0);
    expect((await search({ kind: "motion", query: "slow scroll reveal" }))[0]).toBe("slide-in");
    expect((await search({ kind: "motion", query: "hover color" }))[0]).toBe("glow");
    expect((await search({ kind: "background", query: "blue gradient" }))[0]).toBe("linear gradient");
    expect(
      await search({
        kind: "motion",
        query: "motion opacity transform color",
        conditions: [{ key: "duration_ms", max: 500 }],
      }),
    ).toEqual(["glow"]);
  });

  test("finds what is like an entry, but not the entry itself", async () => {
    await library.keep(harbour, 0);
    const dark = { background: "#101018", text: "#eeeeee", gradient: false, image: false };
    await library.keep(keptPage({ sections: [{ heading: "Night", colors: dark }, { heading: "Day" }] }), 1);
    const [prices] = (await library.search({ kind: "section", query: "prices", limit: 1, offset: 0 }, everybody))
      .results;
    const like = await search({ like: prices?.id ?? "" });
    expect(like[0]).toBe("Night");
    expect(like).not.toContain("Prices");
  });

  test("shows each owner their own pages alone, and others' as if they were not there", async () => {
    const hers = keptPage({ owner: "ada", sections: [{ heading: "Ada's", text: "secret plans" }] });
    await library.keep(hers, 0);
    await library.keep(keptPage({ owner: "bob", sections: [{ heading: "Bob's", text: "secret plans" }] }), 0);
    expect(await search({ query: "secret" }, "ada")).toEqual(["Ada's"]);
    expect((await search({ query: "secret" })).toSorted()).toEqual(["Ada's", "Bob's"]);
    const [entry] = await library.entries(hers.id, { owner: "ada" });
    expect(entry?.title).toBe("Ada's");
    const bob = { owner: "bob" };
    expect(await library.page(hers.id, bob)).toBeUndefined();
    expect(await library.entries(hers.id, bob)).toEqual([]);
    expect(await library.entry(entry?.id ?? "", bob)).toBeUndefined();
    expect(await search({ like: entry?.id ?? "" }, "bob")).toEqual([]);
    expect(await search({ page: hers.id, query: "secret" }, "bob")).toEqual([]);
    expect(await library.remove(hers.id, bob)).toBe(false);
    expect((await library.list({ limit: 10 }, bob)).map(({ id }) => id)).not.toContain(hers.id);
    expect(await library.remove(hers.id, { owner: "ada" })).toBe(true);
  });

  test("gives back an analysis and a section's source as they were kept, also after it was closed", async () => {
    await library.keep(harbour, 7);
    await library.close();
    library = open();
    const kept = await library.page(harbour.id, everybody);
    expect(kept).toMatchObject({ owner: "local", analysis: harbour.analysis, input: harbour.input });
    expect(kept?.page).toMatchObject({ title: "Harbour", keptAt: 7, sections: 3, motions: 2 });
    const [first] = await library.entries(harbour.id, everybody);
    expect(first?.hasSource).toBe(true);
    expect((await library.entry(first?.id ?? "", everybody))?.source).toEqual(harbour.sources[0]);
    expect(await search({ query: "tides" })).toEqual(["Tools for small harbours"]);
  });

  test("takes a page that is kept again for the same page, with the same entries", async () => {
    await library.keep(harbour, 0);
    const before = (await library.entries(harbour.id, everybody)).map(({ id }) => id);
    await library.keep(harbour, 1);
    expect((await library.entries(harbour.id, everybody)).map(({ id }) => id)).toEqual(before);
    expect(await library.list({ limit: 10 }, everybody)).toHaveLength(1);
    expect(await search({ query: "tides" })).toHaveLength(1);
  });

  test("finds of an address what its newest analysis has, each owner's apart, until that is gone", async () => {
    const at = (heading: string, owner: string, url = "https://again.example/"): KeptPage =>
      keptPage({ owner, url, sections: [{ heading, text: "berths" }] });
    const [old, fresh] = [at("Old", "ada"), at("New", "ada")];
    await library.keep(old, 0);
    await library.keep(at("Bob's", "bob"), 1);
    await library.keep(fresh, 2);
    await library.keep(keptPage({ owner: "ada", url: fresh.analysis.url, motions: [{ name: "glow" }] }), 3);
    expect((await search({ query: "berths" })).toSorted()).toEqual(["Bob's", "New"]);
    expect(await search({ query: "berths" }, "ada")).toEqual(["New"]);
    expect(await search({ query: "berths", page: old.id })).toEqual(["Old"]);
    await library.close();
    library = open();
    expect(await search({ query: "berths" }, "ada")).toEqual(["New"]);
    await library.remove(fresh.id, everybody);
    expect(await search({ query: "berths" }, "ada")).toEqual(["Old"]);
    for (const heading of ["Draft 1", "Draft 2"]) await library.keep(at(heading, "eve", "http://html.invalid/"), 4);
    expect((await search({ query: "berths" }, "eve")).toSorted()).toEqual(["Draft 1", "Draft 2"]);
  });

  test("removes what is too old, and the oldest where there is too much, and finds none of it again", async () => {
    await library.close();
    library = open({ maxPages: 2, maxAgeMs: 10 });
    const pages = [1, 2, 3].map((nth) => keptPage({ sections: [{ heading: `Page ${nth}`, text: "berths" }] }));
    for (const [at, page] of pages.entries()) await library.keep(page, at);
    expect((await search({ query: "berths" })).toSorted()).toEqual(["Page 2", "Page 3"]);
    expect(await library.prune(12)).toBe(1);
    expect(await search({ query: "berths" })).toEqual(["Page 3"]);
    expect(await library.prune(1_000)).toBe(1);
    expect(await search({ query: "berths" })).toEqual([]);
    expect(await library.page(pages[2]?.id ?? "", everybody)).toBeUndefined();
  });

  test("keeps no more bytes than it may, but always the last page", async () => {
    await library.close();
    library = open({ maxBytes: 1 });
    await library.keep(keptPage({ sections: [{ heading: "One" }] }), 0);
    await library.keep(keptPage({ sections: [{ heading: "Two" }] }), 1);
    expect(await search({})).toEqual(["Two"]);
  });

  test("lists the newest first, in pieces", async () => {
    for (const title of ["a", "b", "c"]) await library.keep(keptPage({ title }), 0);
    const [first, second] = await library.list({ limit: 2 }, everybody);
    expect([first?.title, second?.title]).toEqual(["c", "b"]);
    const rest = await library.list({ limit: 2, before: second?.place ?? 0 }, everybody);
    expect(rest.map(({ title }) => title)).toEqual(["a"]);
  });

  test("moves a damaged file aside, names it, and goes on with a new one", async () => {
    await library.keep(harbour, 0);
    await library.close();
    const file = join(folder, "library.db");
    writeFileSync(file, Buffer.alloc(statSync(file).size, 7));
    library = open();
    await library.keep(harbour, 1);
    expect(await search({ query: "tides" })).toHaveLength(1);
    expect(moved).toEqual([expect.stringContaining("library.db.damaged-")]);
    expect(readdirSync(folder).some((name) => name.startsWith("library.db.damaged-"))).toBe(true);
  });

  test("leaves a file of a newer version as it is, and says so to whoever asks", async () => {
    await library.keep(harbour, 0);
    await library.close();
    const connection = await connect(join(folder, "library.db"), { isReadOnly: false });
    connection.exec("PRAGMA user_version = 99");
    connection.close();
    library = open();
    await expect(library.list({ limit: 1 }, everybody)).rejects.toMatchObject({ code: "store_too_new" });
    expect(moved).toEqual([]);
  });

  test("can be read by nobody but its user", async () => {
    await library.keep(harbour, 0);
    expect(statSync(join(folder, "library.db")).mode & 0o077).toBe(0);
  });
});

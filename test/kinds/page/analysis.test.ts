import { describe, expect, test } from "vitest";
import { cleanPage, faultyPage } from "./pages.ts";
import { startSite } from "./site.ts";
import { hasBrowser, usePageWorld } from "./world.ts";

describe.skipIf(!hasBrowser)("an analysis", () => {
  const world = usePageWorld();

  test("of a clean page finds its parts and nothing wrong", async () => {
    const { url } = await startSite({ "/": cleanPage });
    const found = await world().analyze({ url: `${url}/` });
    console.log(JSON.stringify(found, null, 1).slice(0, 12000));
    expect(found.quality?.findings).toEqual([]);
  });

  test("of a faulty page finds what is wrong", async () => {
    const { url } = await startSite({ "/": faultyPage, "/there": "<p>hello" });
    const found = await world().analyze({ url: `${url}/` });
    console.log(JSON.stringify({ ...found, layout: undefined }, null, 1).slice(0, 16000));
    expect(found.quality?.findings).toEqual([]);
  });
});

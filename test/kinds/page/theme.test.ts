import { describe, expect, test } from "vitest";
import type { PageAnalysis } from "../../../src/kinds/page/contract.ts";
import { startSite } from "./site.ts";
import { hasBrowser, usePageWorld } from "./world.ts";

type Palette = NonNullable<PageAnalysis["layout"]>["palette"];

const dot = `<div style="background:#101418;color:#eee;width:300px;height:100px">A small dark box</div>`;
const tall = `<div style="height:2500px">Text</div>`;
const night = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='20' height='20'%3E%3Crect width='20' height='20' fill='%23061018'/%3E%3C/svg%3E`;
const day = night.replaceAll("061018", "f4f0e0");

describe.skipIf(!hasBrowser)("the theme of a page", () => {
  const world = usePageWorld();

  const paletteOf = async (body: string): Promise<Palette | undefined> => {
    const { url } = await startSite({ "/": `<!doctype html><title>x</title>${body}` });
    const { layout } = await world().analyze({ url: `${url}/`, features: ["layout"], screenshots: false });
    return layout?.palette;
  };

  test.each([
    ["light", "an unpainted page with dark boxes", `<body>${dot}${dot}${tall}`],
    [
      "light",
      "a dark hero on a white page",
      `<body style="margin:0"><div style="background:#111;height:500px"></div>${tall}`,
    ],
    [
      "dark",
      "a dark page with a light box",
      `<body style="background:#15181c;color:#ddd">${tall}<p style="background:white">x`,
    ],
    ["dark", "a dark root behind a transparent body", `<html style="background:#15181c"><body>${tall}`],
    ["dark", "a page that leaves its canvas to a dark colour scheme", `<html style="color-scheme:dark"><body>${tall}`],
    [
      "light",
      "layers upon layers of which only the last is seen",
      `<body style="background:#000">${`<div style="background:#000">`.repeat(9)}<div style="background:#fff;height:3000px">`,
    ],
    [
      "dark",
      "a gradient from black to blue",
      `<body style="margin:0;min-height:100vh;background:linear-gradient(#000, #114)">`,
    ],
    [
      "light",
      "a gradient from white to pink",
      `<body style="margin:0;min-height:100vh;background:linear-gradient(#fff, #fde)">`,
    ],
    [
      "dark",
      "a picture of the night behind a white body colour",
      `<body style="margin:0;min-height:100vh;background:#fff url(&quot;${night}&quot;)">`,
    ],
    [
      "light",
      "a picture of the day behind a black body colour",
      `<body style="margin:0;min-height:100vh;background:#000 url(&quot;${day}&quot;)">`,
    ],
    [
      "mixed",
      "half and half",
      `<body style="margin:0"><div style="height:450px;background:#000"></div><div style="height:450px">x`,
    ],
  ])("is %s for %s", async (theme, _what, body) => {
    expect((await paletteOf(body))?.theme).toBe(theme);
  });

  test("comes with the share of each colour that is seen, the bare canvas as white", async () => {
    const palette = await paletteOf(
      `<body style="margin:0"><div style="background:#246;height:225px"></div><div style="height:675px">`,
    );
    const shares = new Map(palette?.colors.map(({ color, share }) => [color, share]));
    expect(shares.get("#ffffff")).toBeCloseTo(0.75, 1);
    expect(shares.get("#224466")).toBeCloseTo(0.25, 1);
  });
});

describe("the theme of a page that no browser has painted", () => {
  const world = usePageWorld({ executable: "/nowhere/chromium" });

  test("is unknown", async () => {
    const { url } = await startSite({
      "/": `<!doctype html><title>x</title><style>:root { --ink: #000; --night: #111 }</style>`,
    });
    const { layout } = await world().analyze({ url: `${url}/`, features: ["layout"] });
    expect(layout?.palette.theme).toBe("unknown");
  });
});

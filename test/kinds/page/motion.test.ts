import { describe, expect, test } from "vitest";
import type { PageAnalysis } from "../../../src/kinds/page/contract.ts";
import { restingSelector } from "../../../src/kinds/page/in-page/match-selectors.ts";
import { startSite } from "./site.ts";
import { hasBrowser, usePageWorld } from "./world.ts";

const dead = Array.from(
  { length: 60 },
  (_, index) => `.gone-${index} { transition: width 9s } .gone-${index}:hover { animation: turn 7s infinite }`,
).join("\n");

describe.skipIf(!hasBrowser)("the motion of a page", () => {
  const world = usePageWorld();

  const analyze = async (css: string, body: string): Promise<NonNullable<PageAnalysis["motion"]>> => {
    const { url } = await startSite({ "/": `<!doctype html><title>x</title><style>${css}</style><body>${body}` });
    const { motion } = await world().analyze({ url: `${url}/`, features: ["motion"], screenshots: false });
    if (motion === undefined) throw new Error("no motion was found");
    return motion;
  };

  test("is what its elements do: rules for what the page does not have are counted apart, and give no warning", async () => {
    const motion = await analyze(`${dead} @keyframes turn { to { rotate: 1turn } }`, "<p>Still</p>");
    expect(motion).toMatchObject({ patterns: [], total: 0, warnings: [], categories: {} });
    expect(motion.unused).toEqual({ patterns: 120, keyframes: 1 });
  });

  test("is found in rules for states, pseudo-elements, nested and grouped selectors of elements that it has", async () => {
    const motion = await analyze(
      `${dead} @keyframes turn { to { rotate: 1turn } }
      .menu a:hover::after { transition: opacity 1s }
      .card:not(:hover) { transition: color 1s }
      .gone, .card > b:is(:focus, :active) { transition: scale 1s }
      .card { & > i:hover { transition: rotate 1s } .gone & { transition: width 1s } }
      .spinner::before { content: "x"; animation: turn 2s infinite }
      @media (min-width: 1px) { .md\\:fade { transition: opacity 2s } }`,
      `<nav class="menu"><a href="#x">x</a></nav><div class="card"><b>b</b><i>i</i></div><p class="spinner md:fade">x</p>`,
    );
    expect(motion.patterns.map(({ name }) => name).toSorted()).toEqual([
      "transition of color",
      "transition of opacity",
      "transition of opacity",
      "transition of rotate",
      "transition of scale",
      "turn",
    ]);
    expect(motion.unused).toEqual({ patterns: 121, keyframes: 0 });
    expect(motion.warnings.map(({ code }) => code)).toEqual(["no_reduced_motion", "infinite_motion"]);
    expect(motion.warnings[1]?.selectors).toEqual([".spinner::before"]);
  });

  test("is not what is said for paper, and for people who asked for less motion", async () => {
    const motion = await analyze(
      `@media (prefers-reduced-motion: reduce) { *, ::before { transition-duration: .01ms !important; animation: none } }
      @media print { p { transition: width 3s } } @media (prefers-reduced-motion: no-preference) { p { transition: color 1s } }`,
      "<p>x</p>",
    );
    expect(motion.patterns).toMatchObject([{ name: "transition of color", respectsReducedMotion: true }]);
    expect(motion.warnings).toEqual([]);
  });

  test("is seen where no style sheet declares it", async () => {
    const motion = await analyze(
      "@keyframes turn { to { rotate: 1turn } }",
      `<p id="own" style="animation: turn 3s infinite">x</p>`,
    );
    expect(motion.patterns).toMatchObject([{ type: "css_animation", name: "turn", selector: "#own", isRunning: true }]);
    expect(motion.unused).toEqual({ patterns: 0, keyframes: 0 });
  });

  test("is looked for within bounds, however many rules and elements there are", async () => {
    const rules = Array.from({ length: 5_000 }, (_, index) => `div p:has(.none-${index}) { transition: color 1s }`);
    const motion = await analyze(rules.join("\n"), `<div><p>${"<b>x</b>".repeat(200)}</div>`.repeat(40));
    expect(motion.total + motion.unused.patterns).toBe(2_000);
  });
});

test.each([
  ["a:hover > b::after", "a > b"],
  [":hover", "*"],
  [".a > :focus-within ~ p", ".a > * ~ p"],
  ["ul li:nth-child(2n + 1):active", "ul li:nth-child(2n + 1)"],
  [".hover\\:up:hover, .x::before", ".hover\\:up, .x"],
  ['a[title=":hover, ]"]:focus', 'a[title=":hover, ]"]'],
  [".b:not(.c):not(:hover)", ".b:not(.c)"],
  [":is(.a:hover, :focus) b", ":is(.a, *) b"],
  [":where(:not(:checked)) + i", ":where(*) + i"],
  ["p:first-line", "p"],
  ["p:first-child", "p:first-child"],
  ["::selection", "*"],
])("%s at rest is %s", (selector, resting) => {
  expect(restingSelector(selector)).toBe(resting);
});

test("a selector is put to rest in a time that grows with its length alone", () => {
  for (const text of [
    ":is(".repeat(20_000),
    ":not(:hover".repeat(20_000),
    "[".repeat(20_000),
    ":hover ".repeat(20_000),
  ])
    expect(restingSelector(text).length).toBeLessThanOrEqual(text.length);
});

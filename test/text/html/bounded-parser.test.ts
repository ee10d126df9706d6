import { expect, it } from "vitest";
import { BoundedParser } from "../../../src/text/html/bounded-parser.ts";

/** What the parser tells of a page, and how deep it was nested. */
function read(html: string): { text: string; opened: number; closed: number; deepest: number } {
  const seen = { text: "", opened: 0, closed: 0, deepest: 0 };
  const depth = (): number => seen.opened - seen.closed;
  const parser = new BoundedParser(
    {
      onopentag: () => {
        seen.opened += 1;
        seen.deepest = Math.max(seen.deepest, depth());
      },
      ontext: (text) => {
        seen.text += text;
      },
      onclosetag: () => {
        seen.closed += 1;
      },
    },
    depth,
  );
  parser.write(html);
  parser.end();
  return seen;
}

it("elements are nested 512 deep at most, and each that begins ends", () => {
  const { opened, closed, deepest } = read("<b>x".repeat(100_000));
  expect({ opened, closed, deepest }).toEqual({ opened: 100_000, closed: 100_000, deepest: 513 });
});

it.each(["style", "script", "title", "textarea"])(
  "in a drawing, where %s is no text, it is nested no deeper",
  (name) => {
    expect(read(`<svg>${`<${name}>`.repeat(20_000)}`).deepest).toBeLessThan(530);
  },
);

it("what is nested too deep keeps its text, and what follows stands where it was", () => {
  expect(read(`${"<div>".repeat(2_000)}deep${"</div>".repeat(2_000)}<p>after</p>`)).toMatchObject({
    text: "deepafter",
  });
});

it("what a script holds is never markup, however deep it is nested", () => {
  expect(read(`${"<div>".repeat(600)}<script>"<p>"</script>`)).toMatchObject({ opened: 601, text: `"<p>"` });
});

import { describe, expect, it } from "vitest";
import { perAxis, viewAxis } from "../../../../../src/faces/profiles/reftrix/views/axes.ts";
import type { Found } from "../../../../../src/faces/profiles/reftrix/views/extent.ts";

const axis = { score: 70, grade: "C", details: [{ points: 6, text: "one main heading" }] } as const;
const cliches = [
  { type: "violet_gradient", description: "A gradient from indigo to violet.", severity: "high" },
  { type: "pill_buttons", description: "Fully rounded buttons.", severity: "low" },
] as const;

describe("the axes of an analysis that does not rate originality", () => {
  const axes = { craftsmanship: axis, contextuality: axis };
  const quality = { axes, cliches } as unknown as Found<"quality">;

  it("still have it, made of the clichés that were found", () => {
    expect(viewAxis(quality, "originality")).toEqual({
      score: 75,
      grade: "C",
      details: ["-20 A gradient from indigo to violet.", "-5 Fully rounded buttons."],
    });
    expect(perAxis(quality, ({ score }) => score)).toEqual({ originality: 75, craftsmanship: 70, contextuality: 70 });
  });

  it("are told as they were rated otherwise", () => {
    expect(viewAxis(quality, "craftsmanship")).toEqual({ score: 70, grade: "C", details: ["+6 one main heading"] });
  });
});

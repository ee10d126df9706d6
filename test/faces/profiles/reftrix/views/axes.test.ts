import { describe, expect, it } from "vitest";
import { perAxis, viewAxis } from "../../../../../src/faces/profiles/reftrix/views/axes.ts";
import type { Found } from "../../../../../src/faces/profiles/reftrix/views/extent.ts";

const axis = { score: 70, grade: "C", details: [{ points: 6, text: "one main heading" }] } as const;
describe("the axes of an analysis that does not rate originality", () => {
  const axes = { craftsmanship: axis, contextuality: axis };
  const quality = { axes, score: 64, grade: "D", cliches: [] } as unknown as Found<"quality">;

  it("still have it, at the overall score, and say so", () => {
    expect(viewAxis(quality, "originality")).toEqual({
      score: 64,
      grade: "D",
      details: ["originality is not rated: this is the overall score."],
    });
    expect(perAxis(quality, ({ score }) => score)).toEqual({ originality: 64, craftsmanship: 70, contextuality: 70 });
  });

  it("are told as they were rated otherwise", () => {
    expect(viewAxis(quality, "craftsmanship")).toEqual({ score: 70, grade: "C", details: ["+6 one main heading"] });
  });
});

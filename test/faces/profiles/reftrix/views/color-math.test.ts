import { describe, expect, it } from "vitest";
import { contrastOf, toHex6, toOklch, turnHue } from "../../../../../src/faces/profiles/reftrix/views/color-math.ts";

describe("the colours of palettes", () => {
  it("are told in OKLCH as CSS Color 4 computes it", () => {
    expect(toOklch("#FF0000")).toEqual({ l: 0.628, c: 0.258, h: 29.2 });
    expect(toOklch("#3B82F6")).toEqual({ l: 0.623, c: 0.188, h: 259.8 });
    expect(toOklch("#808080")).toMatchObject({ c: 0, h: 0 });
  });

  it("lose their transparency and gain their full length", () => {
    expect(["#abc", "#abcd", "#a1b2c3", "#a1b2c3d4", "#abcde", "red"].map(toHex6)).toEqual([
      "#AABBCC",
      "#AABBCC",
      "#A1B2C3",
      "#A1B2C3",
      undefined,
      undefined,
    ]);
  });

  it("contrast as WCAG has it, from 1 to 21", () => {
    expect(contrastOf("#000000", "#FFFFFF")).toBe(21);
    expect(contrastOf("#777777", "#FFFFFF")).toBe(4.48);
  });

  it("come back to themselves when their hue is turned all the way round", () => {
    expect(turnHue("#0B5D68", 360)).toBe("#0B5D68");
    expect(turnHue("#0B5D68", 180)).not.toBe("#0B5D68");
  });
});

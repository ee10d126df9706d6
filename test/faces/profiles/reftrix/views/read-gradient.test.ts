import { describe, expect, it } from "vitest";
import { readGradient } from "../../../../../src/faces/profiles/reftrix/views/read-gradient.ts";

describe("a gradient of a style sheet", () => {
  it("is told by its type, angle and stops, places that it leaves open included", () => {
    expect(readGradient("linear-gradient(to right, rgb(1, 2, 3), rgba(4, 5, 6, 0.5), rgb(7, 8, 9))")).toEqual({
      type: "linear",
      angle: 90,
      stops: [
        { position: 0, color: "#010203" },
        { position: 0.5, color: "#040506", opacity: 0.5 },
        { position: 1, color: "#070809" },
      ],
    });
    expect(readGradient("radial-gradient(circle, rgb(1, 2, 3) 20%, rgb(4, 5, 6) 80%)")).toMatchObject({
      type: "radial",
      stops: [{ position: 0.2 }, { position: 0.8 }],
    });
    expect(readGradient("url(x.png)")).toBeUndefined();
  });
});

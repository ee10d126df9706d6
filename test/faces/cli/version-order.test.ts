import { expect, it } from "vitest";
import { compareVersions } from "../../../src/faces/cli/version-order.ts";

it("orders versions by their numbers, and a pre-release before its release", () => {
  const order = ["0.9.9", "0.10.0-rc.2", "0.10.0-rc.10", "0.10.0", "1.0.0"];
  expect(order.toReversed().toSorted(compareVersions)).toEqual(order);
});

it("leaves out what stands behind a plus", () => {
  expect(compareVersions("1.0.0+a", "1.0.0+b")).toBe(0);
});

import { expect, it } from "vitest";
import { compareVersions } from "../../../../src/faces/cli/server/version-order.ts";

it("versions are ordered by their numbers, and a pre-release comes before its release", () => {
  const order = ["0.9.9", "0.10.0-rc.2", "0.10.0-rc.10", "0.10.0", "1.0.0"];
  expect(order.toReversed().toSorted(compareVersions)).toEqual(order);
});

it("what stands behind a plus does not count in the order of versions", () => {
  expect(compareVersions("1.0.0+a", "1.0.0+b")).toBe(0);
});

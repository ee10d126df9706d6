import { describe, expect, it } from "vitest";
import { profiles, profilesIn, readProfileSet } from "../../src/config/profiles.ts";

describe("the profiles of a connection", () => {
  it.each([
    ["runpod", "runpod"],
    ["runpod,background-job", "background-job,runpod"],
    ["runpod, core ,runpod", "core,runpod"],
    ["all", profiles.join(",")],
    ["runpod,all", profiles.join(",")],
  ])("are named in any order, and known by one name: %s", (text, set) => {
    expect(readProfileSet(text)).toBe(set);
    expect(profilesIn(readProfileSet(text)).join(",")).toBe(set);
  });

  it.each(["", "none", "core,", "core,none", "Core", "core;runpod", "../core"])(
    "%j is refused with what there is",
    (text) => {
      expect(() => readProfileSet(text)).toThrow(/^The profiles are core, background-job, .* and all, several with/);
    },
  );
});

import { describe, expect, it } from "vitest";
import { detectInput } from "../../../../../src/faces/profiles/reftrix/tools/detect-input.ts";
import { timedOut } from "../../../../../src/faces/profiles/reftrix/views/detection-view.ts";
import original from "../original.json" with { type: "json" };
import { differencesFrom } from "../shape.ts";

describe("a detection of motion whose time has passed", () => {
  it("is answered in the original's shape, with a warning and without patterns", () => {
    const input = detectInput.parse({ url: "https://example.org/", timeout: 30_000 });
    const view = timedOut({ ...input, mode: "video", captures: true, compares: true }, 30_012);
    expect(differencesFrom(original.replies["motion.detect"], view, "motion.detect")).toEqual([]);
    expect(view).toMatchObject({
      patterns: [],
      warnings: [{ code: "MOTION_DETECTION_TIMEOUT", severity: "warning" }],
      metadata: { had_timeout: true, timeout_phase: "video", timeout_elapsed_ms: 30_012 },
    });
  });
});

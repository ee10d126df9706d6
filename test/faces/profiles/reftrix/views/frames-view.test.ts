import { describe, expect, it } from "vitest";
import { viewTimeline, viewZones } from "../../../../../src/faces/profiles/reftrix/views/frames-view.ts";
import original from "../original.json" with { type: "json" };
import { differencesFrom } from "../shape.ts";

const box = { x: -20, y: 10, width: 120, height: 30 };
const frame = (nth: number, changed: number | null, values: readonly number[] = []): object => ({
  ...{ name: `frame-000${nth}.png`, top: nth * 15, atMs: nth * 40, changed },
  shifts: values.map((value, place) => ({ value, box: { ...box, y: 10 + 100 * place } })),
});
const frames = {
  stepPx: 15,
  list: [frame(0, null), frame(1, 0.2, [0.04, 0.03]), frame(2, 0, [0.01])],
} as Parameters<typeof viewTimeline>[0];

describe("layout shifts between frames", () => {
  it("are told with the frames around them, what they weigh together and where they were", () => {
    const view = viewZones(frames, { diff: 0.1, shift: 0.05, detectedAt: "2026-11-19T00:00:00.000Z", ms: 100 });
    expect(view).toMatchObject({
      statistics: { layoutShiftCount: 1, motionVectorCount: 0, significantChangeCount: 1 },
      layoutShifts: [
        {
          frameRange: "frame-0000.png - frame-0001.png",
          scrollRange: "0px - 15px",
          impactFraction: "0.0700",
          boundingBox: { x: 0, y: 10, width: 100, height: 130 },
        },
      ],
      motionVectors: [],
    });
    const shape = original.replies["motion.detect"]["frame_analysis?!"];
    expect(differencesFrom(shape, view, "frame_analysis")).toEqual([]);
  });

  it("are counted from the threshold on", () => {
    const countFrom = (shift: number): unknown =>
      (viewTimeline(frames, { diff: 0.01, shift })["summary"] as { total_layout_shifts: unknown }).total_layout_shifts;
    expect([countFrom(0), countFrom(0.05), countFrom(0.1)]).toEqual([2, 1, 0]);
  });

  it("are none where an analysis was kept before they were noted", () => {
    const older = { ...frames, list: frames.list.map(({ shifts: _shifts, ...rest }) => rest) };
    expect(viewTimeline(older, { diff: 0.01, shift: 0 })).toMatchObject({ summary: { total_layout_shifts: 0 } });
  });
});

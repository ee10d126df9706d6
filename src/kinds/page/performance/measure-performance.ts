import { setTimeout as sleep } from "node:timers/promises";
import { readVitals, type CollectedPage } from "../collect-page.ts";
import { placeElements } from "../crop-elements.ts";
import { openLivePage, type LivePage } from "../live-page.ts";
import type { StepParts } from "../steps.ts";
import { describePerformance, judgeLoad, wantedElements } from "./analyze-performance.ts";
import { collectLoad } from "./collect-load.ts";
import { conditionsOf, contextFor, liftThrottle, throttle } from "./conditions.ts";
import type { LoadFacts } from "./load-facts.ts";
import type { Performance } from "./performance.ts";

const maxCrops = 8;
/** A load is over when nothing has been asked for or come for so long, or after the longest wait. */
const [quietMs, longestQuietWaitMs] = [500, 10_000];

/**
 * Without conditions of its own, what the one load of all phases showed: that costs no second load. With a preset, a load
 * of its own in a fresh context, so that nothing is kept from the first and no other phase becomes slow.
 */
export async function measurePerformance(parts: StepParts, { measured }: CollectedPage): Promise<Performance> {
  const { input, keeper, signal } = parts;
  const conditions = conditionsOf(input);
  if (!conditions.isOwnLoad) {
    const live = await keeper.get();
    return describe(live, await collectLoad(live, measured.vitals, conditions), parts);
  }
  // It would keep a slot of the browser from the page that is opened now.
  await keeper.drop();
  return parts.openSession(contextFor(conditions), signal, async (session) => {
    const live = await openLivePage(await session.openPage(), session, input, {
      watchesScripts: true,
      prepare: (devtools) => throttle(devtools, conditions),
    });
    await untilQuiet(live, signal);
    const { vitals } = await readVitals(live);
    await liftThrottle(live.devtools);
    return describe(live, await collectLoad(live, vitals, conditions), parts);
  });
}

async function describe(live: LivePage, facts: LoadFacts, { input, context, signal }: StepParts): Promise<Performance> {
  const load = judgeLoad(facts);
  const places = await placeElements(wantedElements(load), {
    live,
    artifacts: context.artifacts,
    signal,
    viewport: facts.conditions.viewport,
    scale: facts.conditions.scale,
    maxCrops: input.screenshots ? maxCrops : 0,
  });
  return describePerformance(load, places);
}

async function untilQuiet({ traffic }: LivePage, signal: AbortSignal): Promise<void> {
  const until = performance.now() + longestQuietWaitMs;
  while (traffic.quietMs() < quietMs && performance.now() < until) await sleep(50, undefined, { signal });
}

import { messageOf } from "../../job/failure.ts";
import type { JobContext } from "../../job/kind.ts";
import { isBrowserLost } from "../../net/browser/shared-browser.ts";
import type { GuardedFetch } from "../../net/guarded-fetch.ts";
import { collectPage, type CollectedPage } from "./collect-page.ts";
import { viewportScript } from "./in-page/scripts.ts";
import type { PageInput } from "./input.ts";
import { analyzeLayout, readBreakpoints, type Layout } from "./layout/analyze-layout.ts";
import { readUsedFonts } from "./layout/used-fonts.ts";
import type { LivePage, PageKeeper } from "./live-page.ts";
import { captureFrames } from "./motion/capture-frames.ts";
import { analyzeMotion, type Motion } from "./motion/analyze-motion.ts";
import { analyzeQuality, type Quality } from "./quality/analyze-quality.ts";
import { readAxe, runAxe } from "./quality/axe.ts";
import { checkLinks } from "./quality/check-links.ts";
import { analyzeResponsive, type Responsive, type SeenViewport } from "./responsive/analyze-responsive.ts";
import { takeScreenshot } from "./screenshots.ts";

/** What a phase works with. */
export interface StepParts {
  readonly input: PageInput;
  readonly keeper: PageKeeper;
  readonly context: JobContext;
  readonly fetch: GuardedFetch["fetch"];
  readonly signal: AbortSignal;
}

/** The phases that look at a page in the browser. */
export interface BrowserSteps {
  readonly load: (parts: StepParts) => Promise<CollectedPage>;
  readonly layout: (parts: StepParts, page: CollectedPage) => Promise<Layout>;
  readonly motion: (parts: StepParts, page: CollectedPage) => Promise<Motion>;
  readonly quality: (parts: StepParts, page: CollectedPage) => Promise<Quality>;
  readonly responsive: (parts: StepParts, page: CollectedPage) => Promise<Responsive>;
}

/** As much as a client takes in one message. */
const mostHtmlBytes = 8_000_000;

export const mainScreenshot = "screenshot.jpg";

export const browserSteps: BrowserSteps = {
  load: async ({ input, keeper, context }) => {
    const live = await keeper.get();
    const collected = await collectPage(live);
    if (input.screenshots)
      await saveScreenshot(live, context, mainScreenshot, input.viewport, collected.facts.document.height);
    if (input.includeHtml) {
      const html = Buffer.from(await live.page.content());
      await context.artifacts.save("page.html", html.subarray(0, mostHtmlBytes));
    }
    return collected;
  },
  layout: async ({ keeper }, { facts }) =>
    analyzeLayout(facts, await readUsedFonts((await keeper.get()).devtools, facts)),
  motion: async ({ input: { frames, timeouts }, keeper, context, signal }, { facts }) => {
    const motion = analyzeMotion(facts);
    if (frames === undefined) return motion;
    try {
      // The rest of the phase is not to be lost when this takes long, or fails.
      const [live, mostMs] = [await keeper.get(), timeouts.motion / 2];
      return { ...motion, frames: await captureFrames(live, frames, mostMs, context.artifacts, signal) };
    } catch (error) {
      signal.throwIfAborted();
      const reason = keeper.judge(error);
      if (isBrowserLost(reason)) throw reason;
      return { ...motion, frames: { stepPx: frames.stepPx, list: [], error: messageOf(reason).slice(0, 500) } };
    }
  },
  quality: async ({ input, keeper, fetch, signal }, { facts, measured, finalUrl }) => {
    const [{ evaluate }, source] = await Promise.all([keeper.get(), readAxe()]);
    const [axe, links] = await Promise.all([
      runAxe(evaluate, source),
      input.checkLinks ? checkLinks(facts, finalUrl, fetch, signal) : undefined,
    ]);
    return analyzeQuality(facts, input, { axe, measured, links });
  },
  responsive: async ({ input, keeper, context, signal }, { facts }) => {
    const live = await keeper.get();
    const seen: SeenViewport[] = [];
    for (const { name, width, height } of input.viewports) {
      signal.throwIfAborted();
      await live.page.setViewportSize({ width, height });
      const found = await live.evaluate(viewportScript());
      const isMain = width === input.viewport.width && height === input.viewport.height;
      const screenshot = isMain ? mainScreenshot : `screenshot-${name}.jpg`;
      if (input.screenshots && !isMain)
        await saveScreenshot(live, context, screenshot, { width, height }, found.pageHeight);
      seen.push({ name, width, height, facts: found, ...(input.screenshots ? { screenshot } : {}) });
      context.progress({
        percent: 75 + Math.round((18 * seen.length) / input.viewports.length),
        phase: "responsive",
        message: name,
      });
    }
    return analyzeResponsive(seen, readBreakpoints(facts.css.mediaQueries));
  },
};

async function saveScreenshot(
  { devtools }: LivePage,
  context: JobContext,
  name: string,
  size: PageInput["viewport"],
  pageHeight: number,
): Promise<void> {
  await context.artifacts.save(name, await takeScreenshot(devtools, size, pageHeight));
}

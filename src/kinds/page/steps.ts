import { messageOf } from "../../job/failure.ts";
import type { JobContext } from "../../job/kind.ts";
import { isBrowserLost, type SharedBrowser } from "../../net/browser/shared-browser.ts";
import type { GuardedFetch } from "../../net/fetch/guarded-fetch.ts";
import { collectPage, type CollectedPage } from "./collect-page.ts";
import type { PageInput, PageRequest } from "./contract.ts";
import { readColors } from "./in-page/read-colors.ts";
import { viewportScript } from "./in-page/scripts.ts";
import { endMovements } from "./in-page/settle-page.ts";
import { analyzeLayout, readBreakpoints } from "./layout/analyze-layout.ts";
import type { Layout } from "./layout/layout.ts";
import { readUsedFonts } from "./layout/used-fonts.ts";
import type { LivePage, PageKeeper } from "./live-page.ts";
import { captureFrames } from "./motion/capture-frames.ts";
import { analyzeMotion } from "./motion/analyze-motion.ts";
import type { Motion } from "./motion/motion.ts";
import { analyzeQuality } from "./quality/analyze-quality.ts";
import { readAxe, runAxe } from "./quality/axe.ts";
import { checkLinks } from "./quality/check-links.ts";
import { placeFindings } from "./quality/place-findings.ts";
import type { Quality } from "./quality/quality.ts";
import { measurePerformance } from "./performance/measure-performance.ts";
import type { Performance } from "./performance/performance.ts";
import { analyzeResponsive, type SeenViewport } from "./analyze-responsive.ts";
import type { Responsive } from "./responsive.ts";

/** What a phase works with. */
export interface StepParts {
  readonly input: PageRequest;
  readonly keeper: PageKeeper;
  readonly context: JobContext;
  readonly fetch: GuardedFetch["fetch"];
  readonly signal: AbortSignal;
  /** A context beside that of the job, with nothing kept from it. */
  readonly openSession: SharedBrowser["use"];
}

/** The phases that look at a page in the browser. */
export interface BrowserSteps {
  readonly load: (parts: StepParts) => Promise<CollectedPage>;
  readonly layout: (parts: StepParts, page: CollectedPage) => Promise<Layout>;
  readonly motion: (parts: StepParts, page: CollectedPage) => Promise<Motion>;
  readonly quality: (parts: StepParts, page: CollectedPage) => Promise<Quality>;
  readonly responsive: (parts: StepParts, page: CollectedPage) => Promise<Responsive>;
  readonly performance: (parts: StepParts, page: CollectedPage) => Promise<Performance>;
}

/** As much as a client takes in one message. */
const maxHtmlBytes = 8_000_000;
/** What lies further down is left out: nobody looks at it, and the browser would need much memory for it. */
const tallest = 8_000;
/** So that no picture of a wide window has more bytes than a client takes in one message. */
const maxPixels = 16_000_000;
/** Of a page taller than this only the window is drawn: the browser takes half a minute to draw beyond it. */
const tallestDrawnWhole = 60_000;

/** Each takes the browser a moment. */
const maxFindingCrops = 6;

export const mainScreenshot = "screenshot.jpg";

export const browserSteps: BrowserSteps = {
  load: async ({ input, keeper, context }) => {
    const live = await keeper.get();
    const collected = await collectPage(live);
    const { facts } = collected;
    await live.evaluate(endMovements());
    const picture = await takePicture(live, input.viewport, facts.document.height);
    if (input.screenshots) await context.artifacts.save(mainScreenshot, picture);
    if (input.include_html) {
      const html = Buffer.from(await live.page.content());
      await context.artifacts.save("page.html", html.subarray(0, maxHtmlBytes));
    }
    const painted = await live.evaluate(readColors(picture));
    return { ...collected, facts: { ...facts, styles: { ...facts.styles, painted } } };
  },
  layout: async ({ keeper }, { facts }) =>
    analyzeLayout(facts, await readUsedFonts((await keeper.get()).devtools, facts)),
  motion: async ({ input: { frames, timeouts_ms: timeouts }, keeper, context, signal }, { facts }) => {
    const motion = analyzeMotion(facts);
    if (frames === undefined) return motion;
    try {
      // The rest of the phase is not to be lost when this takes long, or fails.
      const [live, maxMs] = [await keeper.get(), timeouts.motion / 2];
      return { ...motion, frames: await captureFrames(live, frames, maxMs, context.artifacts, signal) };
    } catch (error) {
      signal.throwIfAborted();
      const reason = keeper.judge(error);
      if (isBrowserLost(reason)) throw reason;
      return { ...motion, frames: { stepPx: frames.step_px, list: [], error: messageOf(reason).slice(0, 500) } };
    }
  },
  quality: async ({ input, keeper, fetch, signal, context }, { facts, measured, finalUrl }) => {
    const [live, source] = await Promise.all([keeper.get(), readAxe()]);
    const [axe, links] = await Promise.all([
      runAxe(live.evaluate, source),
      input.check_links ? checkLinks(facts, finalUrl, fetch, signal) : undefined,
    ]);
    const quality = analyzeQuality(facts, input, { axe, measured, links });
    const maxCrops = input.screenshots ? maxFindingCrops : 0;
    const { artifacts } = context;
    return placeFindings(quality, { live, artifacts, signal, viewport: input.viewport, scale: 1, maxCrops });
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
        await context.artifacts.save(screenshot, await takePicture(live, { width, height }, found.pageHeight));
      seen.push({ name, width, height, facts: found, ...(input.screenshots ? { screenshot } : {}) });
      context.progress({
        percent: 75 + Math.round((18 * seen.length) / input.viewports.length),
        phase: "responsive",
        message: name,
      });
    }
    return analyzeResponsive(seen, readBreakpoints(facts.css.mediaQueries));
  },
  performance: measurePerformance,
};

/** The page from its top, as it stands. */
async function takePicture(
  { devtools }: LivePage,
  { width, height }: PageInput["viewport"],
  pageHeight: number,
): Promise<Buffer> {
  // The page notices when more than its window is drawn, so it is done only where there is more.
  const isWhole = pageHeight > height && pageHeight <= tallestDrawnWhole;
  const clip = { x: 0, y: 0, width, height: Math.min(pageHeight, tallest, Math.floor(maxPixels / width)), scale: 1 };
  const picture = { format: "jpeg", quality: 70, optimizeForSpeed: true } as const;
  const { data } = await devtools.send("Page.captureScreenshot", {
    ...picture,
    ...(isWhole ? { clip, captureBeyondViewport: true } : {}),
  });
  return Buffer.from(data, "base64");
}

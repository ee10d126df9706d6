import { messageOf } from "../../../job/failure.ts";
import type { JobContext } from "../../../job/kind.ts";
import type { PageRequest } from "../contract.ts";
import { restyleScript, sourcesScript } from "../in-page/source-scripts.ts";
import type { Layout } from "../layout/layout.ts";
import type { PageKeeper } from "../live-page.ts";
import { cleanSource } from "./clean-source.ts";
import type { Declarations, SectionSource } from "./section-source.ts";

const maxSections = 40;
const timeoutMs = 15_000;

/** The sections as they can stand alone, at the sizes of the analysis; none where the page does not let itself be read in time. */
export async function readSources(
  keeper: PageKeeper,
  layout: Layout,
  input: PageRequest,
  { log, signal }: JobContext,
): Promise<SectionSource[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs / 1_000} s`)), timeoutMs);
  });
  const reading = read(keeper, layout, input);
  // Its end is of no interest once it is late, but must not go unhandled.
  reading.catch(() => undefined);
  try {
    return await Promise.race([reading, late]);
  } catch (error) {
    signal.throwIfAborted();
    log(`The sections' HTML and styles could not be read: ${messageOf(keeper.judge(error))}`, "warn");
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function read(
  keeper: PageKeeper,
  { sections, breakpoints }: Layout,
  { viewport, viewports, features }: PageRequest,
): Promise<SectionSource[]> {
  const { page, evaluate } = await keeper.get();
  const targets = sections.slice(0, maxSections).map(({ id, selector, top }) => ({ id, selector, top }));
  await page.setViewportSize(viewport);
  const raw = await evaluate(sourcesScript(targets));
  const narrower: { readonly width: number; readonly styles: readonly (readonly Declarations[])[] }[] = [];
  const sizes = features.includes("responsive") ? viewports.filter(({ width }) => width < viewport.width) : [];
  let wider = viewport.width;
  for (const { width, height } of sizes.toSorted((a, b) => b.width - a.width)) {
    await page.setViewportSize({ width, height });
    const styles = await evaluate(restyleScript());
    narrower.push({ width: switchWidth(width, wider, breakpoints), styles });
    wider = width;
  }
  return raw.flatMap((source, nth) => {
    const steps = narrower.map(({ width, styles }) => ({ width, styles: styles[nth] ?? [] }));
    return cleanSource(source, steps) ?? [];
  });
}

/** Where what was seen at a width begins: at the page's own breakpoint, if it has one on the way there. */
function switchWidth(width: number, wider: number, breakpoints: readonly number[]): number {
  return Math.max(width, ...breakpoints.filter((at) => at >= width && at < wider));
}

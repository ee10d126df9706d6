import { z } from "zod";
import type { PageFacts } from "./facts.ts";
import { readMainWorld, type MainWorld } from "./in-page/read-main-world.ts";
import { collectScript, vitalsScript } from "./in-page/scripts.ts";
import type { Vitals } from "./in-page/watch-page.ts";
import { showWholePage } from "./in-page/settle-page.ts";
import type { LivePage } from "./live-page.ts";
import type { Measurements } from "./measurements.ts";

export interface CollectedPage {
  readonly finalUrl: string;
  readonly status: number;
  readonly facts: PageFacts;
  readonly measured: Measurements;
}

const watchedSchema = z.object({
  largestPaintMs: z.number(),
  largestPaintElement: z.string().max(300),
  firstPaintMs: z.number(),
  layoutShift: z.number(),
  shifts: z.array(z.object({ value: z.number(), selector: z.string().max(300), atMs: z.number() })).max(20),
  longTasks: z.number(),
  blockingMs: z.number(),
  tasks: z.array(z.object({ startMs: z.number(), durationMs: z.number() })).max(100),
  frameRequests: z.number(),
  intersectionObservers: z.number(),
  scrollListeners: z.number(),
});

/** What the watch in a page has seen since the page began to load. */
export type Watched = z.output<typeof watchedSchema>;

/** What the page's own world says cannot be trusted to have the right form: scripts of the page may have been there. */
const mainWorldSchema = z.object({
  watched: watchedSchema.nullable().catch(null),
  globals: z
    .array(z.object({ name: z.string().max(50), version: z.string().max(20) }))
    .max(100)
    .catch([]),
});

/** What the watch and the browser have measured so far. */
export async function readVitals({ page, evaluate }: LivePage): Promise<{ main: MainWorld; vitals: Vitals }> {
  const main: MainWorld = mainWorldSchema
    .catch({ watched: null, globals: [] })
    .parse(await page.evaluate(readMainWorld).catch(() => undefined));
  return { main, vitals: await evaluate(vitalsScript(main)) };
}

/** Reads all that the later phases judge, in a few round trips. Measured first: looking through the page moves things. */
export async function collectPage(live: LivePage): Promise<CollectedPage> {
  const { page, traffic, evaluate } = live;
  const { main, vitals } = await readVitals(live);
  await evaluate(showWholePage());
  const finalUrl = page.url();
  const facts = await evaluate(collectScript(main, await traffic.foreignSheets(finalUrl)));
  const { protocol, hostname } = new URL(finalUrl);
  return {
    finalUrl,
    status: live.status,
    facts,
    measured: {
      vitals,
      requests: traffic.requests(),
      consoleErrors: traffic.consoleErrors,
      dialogs: traffic.dialogs,
      downloads: traffic.downloads,
      isHttps: protocol === "https:" || /^(localhost|127\.|\[::1\])/.test(hostname),
      headers: live.headers,
    },
  };
}

import { defined } from "../../job/defined.ts";
import { JobFailure, messageOf } from "../../job/failure.ts";
import { PartialResult, type JobContext } from "../../job/kind.ts";
import { BrowserError } from "../../net/browser/browser-error.ts";
import { isBrowserLost } from "../../net/browser/shared-browser.ts";
import type { PageSummary, PhaseReport } from "./analysis.ts";
import type { CollectedPage } from "./collect-page.ts";
import type { FeatureName, PageAnalysis, PageRequest, SectionSource } from "./contract.ts";
import type { PageFacts } from "./facts.ts";
import { PageKeeper } from "./live-page.ts";
import type { PageSettings } from "./page.ts";
import { Phases } from "./phases.ts";
import { readSources } from "./sources/read-sources.ts";
import { writeReport } from "./report/write-report.ts";
import { analyzeStatically } from "./static/analyze-statically.ts";
import { loadStatically, type StaticPage } from "./static/load-statically.ts";
import { browserSteps, type StepParts } from "./steps.ts";

/** Looks at the page phase by phase. This file brings in all that looks, so it is loaded with the first job of the kind. */
export async function analyzePage(
  input: PageRequest,
  context: JobContext,
  settings: PageSettings,
): Promise<PageAnalysis | PartialResult<PageAnalysis>> {
  const startedAt = context.now();
  const startedMs = performance.now();
  const phases = new Phases(context, input.timeouts_ms);
  await phases.within("load", (signal) => checkRobots(input, signal, settings));
  const { collected, findings, sources, ...method } = await inBrowserOrStatic(input, context, phases, settings);
  const { facts, finalUrl, status } = collected;
  const analysis: Omit<PageAnalysis, "phases" | "artifacts"> = {
    url: input.url,
    finalUrl,
    status,
    ...method,
    analyzedAt: new Date(startedAt).toISOString(),
    durationMs: Math.round(performance.now() - startedMs),
    page: summarise(facts),
    ...findings,
    warnings: findWarnings(facts),
  };
  await phases.run("report", () => writeReport({ ...analysis, phases: phases.reports, artifacts: [] }, context));
  const complete = { ...analysis, phases: phases.reports, artifacts: await context.artifacts.list() };
  if (phases.failed !== undefined) refusePart(phases.failed, input);
  await keepPage(complete, sources, input, context, settings);
  return phases.failed === undefined ? complete : new PartialResult(complete);
}

/** A page that cannot be kept is analysed all the same. */
async function keepPage(
  analysis: PageAnalysis,
  sources: readonly SectionSource[],
  { url, html, keep }: PageRequest,
  { id, owner, log }: JobContext,
  settings: PageSettings,
): Promise<void> {
  if (!keep || settings.keep === undefined) return;
  try {
    await settings.keep({ id, owner, input: { url, html }, analysis, sources });
  } catch (error) {
    log(`The page could not be kept in the design library: ${messageOf(error)}`, "warn");
  }
}

/** For those who want all or nothing. */
function refusePart({ name, state, reason = "" }: PhaseReport, { accept }: PageRequest): void {
  const isLate = state === "timed_out";
  if (accept === "partial" || (accept === "in_time" && !isLate)) return;
  throw isLate
    ? new JobFailure("timed_out", reason, { retryable: false, endsAs: "timed_out" })
    : new JobFailure(`${name}_failed`, `The phase ${name} failed: ${reason}`, { retryable: false });
}

type Findings = Pick<PageAnalysis, FeatureName>;

interface Looked extends Pick<PageAnalysis, "method" | "methodReason"> {
  readonly collected: Pick<CollectedPage, "facts" | "finalUrl" | "status">;
  readonly findings: Findings;
  /** Empty where none are to be kept. */
  readonly sources: readonly SectionSource[];
}

async function inBrowserOrStatic(
  input: PageRequest,
  context: JobContext,
  phases: Phases,
  settings: PageSettings,
): Promise<Looked> {
  const load = (signal: AbortSignal): Promise<StaticPage> => loadStatically(input, settings, signal);
  const readInstead = async (page: StaticPage | undefined, methodReason: string): Promise<Looked> => {
    if (page === undefined) throw new Error("loading failed without a reason");
    context.log(methodReason, "warn");
    const found = await analyzeStatically(input, page, phases, settings.fetch);
    return { ...found, sources: [], method: "static", methodReason };
  };
  if (settings.browser.executable === undefined) {
    return readInstead(await phases.run("load", load), settings.browser.missing.message);
  }
  try {
    return { ...(await analyzeTwice(input, context, phases, settings)), method: "browser" };
  } catch (error) {
    if (!(error instanceof JobFailure && error.code === "timed_out")) throw error;
    const seconds = input.timeouts_ms.load / 1_000;
    return readInstead(
      await phases.within("load", load),
      `The page did not come to rest in the browser within ${seconds} s.`,
    );
  }
}

/** A browser that crashes or hangs is replaced, once: the second time it is likely the page's doing. */
async function analyzeTwice(
  input: PageRequest,
  context: JobContext,
  phases: Phases,
  settings: PageSettings,
): Promise<Omit<Looked, "method" | "methodReason">> {
  const options = { viewport: input.viewport, reducedMotion: "no-preference" as const };
  const attempt = (): Promise<Omit<Looked, "method" | "methodReason">> =>
    settings.browser.use(options, context.signal, (session) => {
      const openSession = settings.browser.use.bind(settings.browser);
      const parts = { input, context, fetch: settings.fetch, keeper: new PageKeeper(session, input), openSession };
      return runSteps(parts, phases, settings);
    });
  try {
    return await attempt();
  } catch (error) {
    if (!isBrowserLost(error)) throw await explain(input.url, error, context.signal, settings);
    context.log("The browser was lost; trying again with a new one.", "warn");
    return await attempt();
  }
}

async function runSteps(
  parts: Omit<StepParts, "signal">,
  phases: Phases,
  { steps = browserSteps, keep }: PageSettings,
): Promise<Omit<Looked, "method" | "methodReason">> {
  const { keeper, input } = parts;
  const judged = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw keeper.judge(error);
    }
  };
  const collected = await phases.run("load", (signal) => judged(steps.load({ ...parts, signal })));
  if (collected === undefined) throw new Error("loading failed without a reason");
  const run = async <T extends object>(
    name: FeatureName,
    step: (parts: StepParts, page: CollectedPage) => Promise<T>,
  ): Promise<T | undefined> => {
    if (!input.features.includes(name)) return phases.skip(name, "not asked for");
    const found = await phases.run(name, (signal) => judged(step({ ...parts, signal }, collected)));
    // The page may be stuck: the next phase looks at it afresh.
    if (found === undefined) await keeper.drop();
    return found;
  };
  // A load of its own comes last, because the page is closed for it; else the page is as it was loaded only now.
  const measuresFirst = input.preset === "none";
  const early = measuresFirst ? await run("performance", steps.performance) : undefined;
  const layout = await run("layout", steps.layout);
  const motion = await run("motion", steps.motion);
  const quality = await run("quality", steps.quality);
  const responsive = await run("responsive", steps.responsive);
  const isKept = keep !== undefined && input.keep && layout !== undefined && phases.failed === undefined;
  const sources = isKept ? await readSources(keeper, layout, input, parts.context) : [];
  const performance = measuresFirst ? early : await run("performance", steps.performance);
  return { collected, findings: defined({ layout, motion, quality, responsive, performance }), sources };
}

async function checkRobots(
  { url, html, respect_robots: respectRobots }: PageRequest,
  signal: AbortSignal,
  { robots, fetch }: PageSettings,
): Promise<void> {
  if (!respectRobots || html !== undefined) return;
  const rules = await robots.rulesFor(url, signal);
  if (rules.isAllowed(url)) return;
  const { origin, host } = new URL(url);
  // A site that cannot be reached has no rules to be read either: then that is what is wrong.
  await fetch(`${origin}/robots.txt`, { signal, maxBodyBytes: 1, whenTooLarge: "truncate" });
  throw new JobFailure(
    "robots_disallowed",
    `The robots.txt of ${host} asks programs not to open this page. If you have its owner's permission, set respect_robots to false.`,
    { retryable: false },
  );
}

/** The browser says little about why a page could not be fetched; asking again by ourselves tells. */
async function explain(url: string, error: unknown, signal: AbortSignal, { fetch }: PageSettings): Promise<unknown> {
  const isRefusal = error instanceof BrowserError;
  if (isRefusal && error.code === undefined) return new JobFailure("load_failed", error.message, { cause: error });
  const isNetwork =
    isRefusal || (error instanceof JobFailure && (error.code === "http_error" || error.message.includes("ERR_")));
  if (!isNetwork) return error;
  const reason = await fetch(url, { signal, timeoutMs: 10_000, maxBodyBytes: 1, whenTooLarge: "truncate" }).then(
    () => undefined,
    (why: unknown) => why,
  );
  if (reason !== undefined || error instanceof JobFailure) return reason ?? error;
  return new JobFailure("load_failed", error.message);
}

function summarise({ document, motion }: PageFacts): PageSummary {
  const { title, description, language, favicon, ogImage, width, height, elements } = document;
  const hasWebgl = motion.canvases.some(({ context }) => context.startsWith("webgl"));
  return { title, description, language, favicon, ogImage, width, height, elements, hasWebgl };
}

function findWarnings({ document, css }: PageFacts): PageAnalysis["warnings"] {
  return [
    ...(document.examined < document.elements * 0.5 && document.elements > 5_000
      ? [
          {
            code: "page_large",
            message: `Only the first ${document.examined} of ${document.elements} elements were examined.`,
          },
        ]
      : []),
    ...(css.unreadable.length > 0
      ? [
          {
            code: "css_unreadable",
            message: `${css.unreadable.length} style sheets could not be read: ${css.unreadable.slice(0, 3).join(", ")}.`,
          },
        ]
      : []),
  ];
}

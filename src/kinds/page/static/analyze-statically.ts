import { defined } from "../../../job/defined.ts";
import type { GuardedFetch } from "../../../net/fetch/guarded-fetch.ts";
import type { FeatureName, PageAnalysis, PageInput } from "../contract.ts";
import { analyzeLayout } from "../layout/analyze-layout.ts";
import { analyzeMotion } from "../motion/analyze-motion.ts";
import type { Phases } from "../phases.ts";
import { analyzeQuality } from "../quality/analyze-quality.ts";
import { checkLinks } from "../quality/check-links.ts";
import type { StaticPage } from "./load-statically.ts";

/** The same judgements on less: no fonts in use, no axe, no measurements, no other sizes of the window. */
export async function analyzeStatically(
  input: PageInput,
  page: StaticPage,
  phases: Phases,
  fetch: GuardedFetch["fetch"],
): Promise<{ collected: StaticPage; findings: Pick<PageAnalysis, "layout" | "motion" | "quality"> }> {
  const { facts } = page;
  const isAsked = (name: FeatureName): boolean => input.features.includes(name);
  const skip = (name: FeatureName): undefined => phases.skip(name, "not asked for");
  const layout = isAsked("layout") ? await phases.run("layout", async () => analyzeLayout(facts, [])) : skip("layout");
  const motion = isAsked("motion") ? await phases.run("motion", async () => analyzeMotion(facts)) : skip("motion");
  const quality = isAsked("quality")
    ? await phases.run("quality", async (signal) => {
        const links = input.check_links ? await checkLinks(facts, page.finalUrl, fetch, signal) : undefined;
        return analyzeQuality(facts, input, { links, axe: undefined, measured: undefined });
      })
    : skip("quality");
  for (const name of ["responsive", "performance"] as const)
    phases.skip(name, isAsked(name) ? "needs a browser" : "not asked for");
  return {
    collected: page,
    findings: defined({ layout, motion, quality }),
  };
}

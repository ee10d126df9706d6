import { defined } from "../../../job/defined.ts";
import type { AnalyzeInput } from "./analyze-input.ts";

/** A page that is still loading then is judged as it stands in its HTML. */
const longestLoadMs = 60_000;

/** `page.analyze` in the words of the operation `analyze_page`. */
export function toPageRequest(input: AnalyzeInput): Record<string, unknown> {
  const { layoutOptions, motionOptions, qualityOptions, responsiveOptions, timeout } = input;
  const wanted = { ...input.features, responsive: responsiveOptions.enabled };
  const features = (["layout", "motion", "quality", "responsive"] as const).filter((name) => wanted[name]);
  return {
    url: input.url,
    features: features.length === 0 ? ["layout"] : features,
    viewports: responsiveOptions.viewports.map(({ name, width, height }) => ({ name: slug(name), width, height })),
    wait_until: input.waitUntil,
    timeouts_ms: {
      load: Math.min(timeout, longestLoadMs),
      layout: input.layoutTimeout,
      motion: motionOptions.timeout ?? input.motionTimeout,
      quality: input.qualityTimeout,
      total: timeout,
    },
    attempts: input.auto_retry ? input.max_retries : 1,
    respect_robots: input.respect_robots_txt,
    include_html: wantsHtml(input),
    accept: !input.partial_results ? "complete" : input.timeout_strategy === "strict" ? "in_time" : "partial",
    ...toJudgement(qualityOptions),
    ...defined({
      viewport: layoutOptions.viewport && {
        width: layoutOptions.viewport.width,
        height: layoutOptions.viewport.height,
      },
    }),
  };
}

interface Judgement {
  readonly weights?: Readonly<Record<string, unknown>> | undefined;
  readonly strict?: boolean | undefined;
  readonly targetIndustry?: string | undefined;
  readonly targetAudience?: string | undefined;
}

/** By what a page is to be judged. */
export function toJudgement({ weights, strict, targetIndustry, targetAudience }: Judgement): Record<string, unknown> {
  const { originality, craftsmanship, contextuality } = weights ?? {};
  return defined({
    weights: weights && defined({ originality, craftsmanship, contextuality }),
    strict,
    industry: targetIndustry,
    audience: targetAudience,
  });
}

export function wantsHtml({ layoutOptions }: AnalyzeInput): boolean {
  return layoutOptions.include_html ?? layoutOptions.includeHtml ?? false;
}

export function wantsScreenshot({ layoutOptions }: AnalyzeInput): boolean {
  return layoutOptions.include_screenshot ?? layoutOptions.includeScreenshot ?? false;
}

function slug(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "viewport"
  );
}

import { perAxis } from "./axes.ts";
import { cut, type Extent, type Found, type View } from "./extent.ts";

/** The quality of `page.analyze`. */
export function viewQuality(quality: Found<"quality">, includeRecommendations: boolean, extent: Extent): View {
  const recommendations = cut(quality.recommendations, 5, extent).map(
    ({ id, category, priority, title, description, gain }) => ({
      id,
      category,
      priority,
      title,
      description,
      expectedImpact: `+${gain} points`,
    }),
  );
  return {
    overallScore: quality.score,
    grade: quality.grade,
    axisScores: perAxis(quality, ({ score }) => score),
    clicheCount: quality.cliches.length,
    ...(includeRecommendations ? { recommendations } : {}),
    ...(extent.form === "short"
      ? {}
      : {
          axisGrades: perAxis(quality, ({ grade }) => grade),
          axisDetails: perAxis(quality, ({ details }) => cut(details, 10, extent)),
          cliches: cut(quality.cliches, 10, extent),
        }),
    ...(extent.form === "whole" ? { findings: quality.findings } : {}),
  };
}

import type { JobContext } from "../../../job/kind.ts";
import type { PageAnalysis } from "../analysis.ts";

export async function writeReport(analysis: PageAnalysis, context: JobContext): Promise<{ name: string }> {
  await context.artifacts.save("report.html", `<pre>${JSON.stringify(analysis).length}</pre>`);
  return { name: "report.html" };
}

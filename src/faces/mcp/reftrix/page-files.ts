import type { OperationContext } from "../../../operations/operation.ts";
import { readArtifact } from "../artifact-resource.ts";
import type { AnalysedPage } from "./page-jobs.ts";

/** The files of an analysis that a reply carries itself. */
export async function readFiles(
  context: OperationContext,
  { id, analysis }: AnalysedPage,
  wanted: { readonly html: boolean; readonly screenshot: boolean },
): Promise<Record<string, unknown>> {
  const read = async (name: string, isWanted: boolean): Promise<Buffer | undefined> => {
    const isThere = analysis.artifacts.some((artifact) => artifact.name === name);
    return isWanted && isThere ? (await readArtifact(id, name, context)).content : undefined;
  };
  const html = await read("page.html", wanted.html);
  const picture = await read("screenshot.jpg", wanted.screenshot);
  const { width, height } = analysis.page;
  return {
    ...(html === undefined ? {} : { html: html.toString("utf8") }),
    ...(picture === undefined
      ? {}
      : { screenshot: { base64: picture.toString("base64"), format: "jpeg", width, height } }),
  };
}

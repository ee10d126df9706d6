import { placeElements, type CropOptions } from "../crop-elements.ts";
import type { Quality } from "./quality.ts";

/** Where the elements of the findings are, and a picture of the first one of each of the worst. */
export async function placeFindings(quality: Quality, options: CropOptions): Promise<Quality> {
  const wanted = quality.findings.flatMap(({ id, selectors }) =>
    selectors.map((selector, index) => ({ selector, ...(index === 0 ? { crop: `crop-${id}` } : {}) })),
  );
  const places = await placeElements(wanted, options);
  const findings = quality.findings.map((finding) => {
    const found = finding.selectors.flatMap((selector) => places.get(selector) ?? []);
    return found.length === 0 ? finding : { ...finding, places: found };
  });
  return { ...quality, findings };
}

import type { KeptPage } from "../../kinds/page/contract.ts";
import type { Entry } from "../library.ts";
import { backgroundEntries } from "./background-entries.ts";
import { motionEntries } from "./motion-entries.ts";
import { responsiveEntry } from "./responsive-entry.ts";
import { sectionEntries } from "./section-entries.ts";

/** All that can be looked for on a page. What a phase did not find out has no entries. */
export function toEntries(page: KeptPage): Entry[] {
  return [...sectionEntries(page), ...motionEntries(page), ...backgroundEntries(page), ...responsiveEntry(page)];
}

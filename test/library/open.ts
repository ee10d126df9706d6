import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Library, LibraryLimits } from "../../src/library/library.ts";
import { openLibrary } from "../../src/store/sqlite/library/open-library.ts";

const thread = pathToFileURL(join(import.meta.dirname, "../../.build/src/store/sqlite/library/library-thread.js"));
const limits: LibraryLimits = { maxAgeMs: 90 * 86_400_000, maxPages: 100, maxBytes: 100_000_000 };

/** The library of a folder; whoever opens it closes it. */
export function openTestLibrary(
  folder: string,
  given: Partial<LibraryLimits> = {},
  onMoved: (path: string) => void = () => undefined,
): Library {
  const file = join(folder, "library.db");
  return openLibrary({ file, limits: { ...limits, ...given }, onMoved, now: () => Date.now(), thread });
}

import { join } from "node:path";
import type { LoadedConfig } from "../config/config.ts";
import { checkFile } from "../config/private-files.ts";
import type { PageSettings } from "../kinds/page/page.ts";
import type { Library } from "../library/library.ts";
import { openLibrary } from "../store/sqlite/library/open-library.ts";
import type { Log } from "./log-file.ts";

const dayMs = 86_400_000;

interface DesignLibrary {
  readonly library?: Library;
  readonly keep?: PageSettings["keep"];
}

/** Beside the database of jobs, and none of its concern: nothing is opened before a page is kept or looked for. */
export function openDesignLibrary({ paths, library: settings }: LoadedConfig, log: Log): DesignLibrary {
  if (settings.days === 0) return {};
  const file = join(paths.home, "library.db");
  for (const end of ["", "-wal"]) checkFile(`${file}${end}`, { isSecret: false });
  const library = openLibrary({
    file,
    limits: {
      maxAgeMs: settings.days * dayMs,
      maxPages: settings.max_pages,
      maxBytes: settings.max_mb * 1_000_000,
    },
    now: () => Date.now(),
    onMoved: (path) =>
      log("error", "the design library was damaged: it was moved aside, and an empty one was begun", { path }),
  });
  return { library, keep: (page) => library.keep(page, Date.now()) };
}

import { join } from "node:path";
import type { LoadedConfig } from "../config/config.ts";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { readMachineName } from "./home.ts";
import type { MoveProgress, MoveReport } from "../store/moving/move-store.ts";

/** Moves the jobs of the folder, and all that belongs to them, to the database that the configuration names. */
export async function migrate(
  { store, paths }: LoadedConfig,
  onProgress: (progress: MoveProgress) => void,
): Promise<MoveReport & { readonly to: string }> {
  if (store === undefined) {
    throw new LonghaulError(
      "invalid_input",
      "Say where to: set LONGHAUL_STORE to postgres://user:password@host/database.",
    );
  }
  const { url, schema, tls, shown } = store;
  const { moveStore } = await import("../store/moving/move-store.ts");
  const report = await moveStore({
    file: join(paths.home, "longhaul.db"),
    machine: readMachineName(paths.home),
    url,
    schema,
    onProgress,
    ...defined({ tls }),
  });
  return { ...report, to: shown };
}

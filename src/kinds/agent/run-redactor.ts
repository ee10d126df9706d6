import { mapTexts, type Json } from "../../job/json.ts";
import { findUnfinished, hideValues } from "../../text/known-values.ts";
import type { Redactor } from "../../text/redact.ts";
import { secretParts } from "../../text/secret-parts.ts";
import type { ConfinedFiles } from "./tools/confined-files.ts";
import { skippedFolders } from "./tools/read-tools.ts";

/** Hides keys, and what the secret files of the run's folder say. */
export interface RunRedactor extends Redactor {
  /** Reads the secret files again, after what may have changed them. What they said before stays hidden. */
  readonly learn: () => Promise<void>;
  /** Every text in a value. */
  readonly json: (value: Json) => Json;
}

const maxParts = 5_000;

/** Hides `brought` too: keys that came with the job. */
export async function createRunRedactor(
  files: ConfinedFiles,
  keys: Redactor,
  brought: readonly string[] = [],
): Promise<RunRedactor> {
  const parts = new Set<string>(brought);
  let hide = hideValues(brought);
  let unfinished = findUnfinished(brought);
  const learn = async (): Promise<void> => {
    const before = parts.size;
    for (const text of await files.readSecrets(skippedFolders)) {
      for (const part of secretParts(text)) {
        // As it stands, and as it stands in JSON.
        if (parts.size < maxParts) parts.add(part).add(JSON.stringify(part).slice(1, -1));
      }
    }
    if (parts.size === before) return;
    hide = hideValues([...parts]);
    unfinished = findUnfinished([...parts]);
  };
  await learn();
  const known = (text: string): string => keys.known(hide(text));
  return {
    ...keys,
    learn,
    known,
    text: (text) => keys.text(hide(text)),
    unfinished: (text) => Math.max(keys.unfinished(text), unfinished(text)),
    json: (value) => mapTexts(value, known),
  };
}

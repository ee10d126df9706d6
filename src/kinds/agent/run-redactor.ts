import type { Json } from "../../job/json.ts";
import { findUnfinished, hideValues, type Redactor } from "../../text/redact.ts";
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

const mostParts = 5_000;

export async function createRunRedactor(files: ConfinedFiles, keys: Redactor): Promise<RunRedactor> {
  const parts = new Set<string>();
  let hide = hideValues([]);
  let unfinished = findUnfinished([]);
  const learn = async (): Promise<void> => {
    const before = parts.size;
    for (const text of await files.readSecrets(skippedFolders)) {
      for (const part of secretParts(text)) {
        // As it stands, and as it stands in JSON.
        if (parts.size < mostParts) parts.add(part).add(JSON.stringify(part).slice(1, -1));
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
    json: (value) =>
      JSON.parse(
        JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "string" ? known(inner) : inner)),
      ) as Json,
  };
}

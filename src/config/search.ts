import { z } from "zod";
import { LonghaulError } from "../job/error.ts";
import { readVariable } from "./read-variable.ts";

const keyNames = { brave: "BRAVE_API_KEY", serper: "SERPER_API_KEY", perplexity: "PERPLEXITY_API_KEY" } as const;

/** `search` in the configuration file: who searches the web, for agents and for crawl jobs. */
export const searchSchema = z.strictObject({
  engine: z.enum(["searxng", "brave", "serper", "perplexity"]),
  base_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Where it answers; a SearXNG must have its JSON format on."),
  api_key: z.string().min(1).optional(),
});

export type SearchConfig = z.output<typeof searchSchema>;

/** The file first; without it whichever engine has its key in the environment. */
export function readSearch(file: SearchConfig | undefined, env: NodeJS.ProcessEnv): SearchConfig | undefined {
  const fromEnvironment = (["brave", "serper", "perplexity"] as const).flatMap((engine) => {
    const key = readVariable(env, keyNames[engine]);
    return key === undefined ? [] : [{ engine, api_key: key }];
  });
  if (file === undefined) return fromEnvironment[0];
  if (file.engine === "searxng") {
    if (file.base_url !== undefined) return file;
    throw new LonghaulError("invalid_input", "search.engine is searxng and needs a search.base_url.");
  }
  const found = { ...fromEnvironment.find(({ engine }) => engine === file.engine), ...file };
  if (found.api_key !== undefined) return found;
  const name = keyNames[file.engine];
  throw new LonghaulError("invalid_input", `search.engine is ${file.engine} and needs a search.api_key, or ${name}.`);
}

import type { JobContext } from "../../job/kind.ts";
import type { Redactor } from "../../text/redact.ts";
import type { AgentInput } from "./input.ts";
import type { McpServers } from "./tools/mcp-tools.ts";
import type { ModelTable } from "./model/model-names.ts";
import type { RetryPolicy } from "./model/persistent-call.ts";
import type { Prices } from "./model/prices.ts";
import type { RunRedactor } from "./run-redactor.ts";
import type { ConfinedFiles } from "./tools/confined-files.ts";
import type { WebAccess } from "./tools/web-tools.ts";

export interface AgentSettings extends ModelTable {
  readonly concurrency: number;
  readonly maxSteps: number;
  /** How long a command of an agent may take to end. */
  readonly termGraceMs: number;
  readonly prices: Prices;
  readonly redactor: Redactor;
  /** Globs of files that no agent may read. */
  readonly secretFiles: readonly string[];
  /** The folder that is meant, with all links resolved; refused if it is missing or not allowed. */
  readonly resolveCwd: (wanted: string | undefined) => string;
  /** Whether a program of this name is installed. */
  readonly hasProgram: (name: string) => boolean;
  readonly web: WebAccess;
  readonly mcpServers: McpServers;
  readonly retry?: RetryPolicy;
}

/** What one run has to do with. */
export interface RunParts {
  readonly input: AgentInput;
  readonly context: JobContext;
  readonly files: ConfinedFiles;
  readonly settings: AgentSettings & { readonly redactor: RunRedactor };
}

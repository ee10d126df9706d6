import type { JobContext } from "../../job/kind.ts";
import type { PatternPool } from "../../text/pattern-pool.ts";
import type { Redactor } from "../../text/redact.ts";
import type { AgentInput } from "./contract.ts";
import type { McpServers } from "./tools/mcp-tools.ts";
import type { ModelTable, Providers } from "./model/model-names.ts";
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
  readonly patterns: PatternPool;
  /** Globs of files that no agent may read. */
  readonly secretFiles: readonly string[];
  /** The folder that is meant, with all links resolved; refused if it is missing or not allowed. */
  readonly resolveCwd: (wanted: string | undefined, callersCwd?: string) => string;
  /** The providers that a client's own keys make usable, beside those of the server. */
  readonly readProviders?: (keys: Readonly<Record<string, string>>) => Providers;
  /** The server's own folders and files, which no agent may reach. */
  readonly hidden: () => readonly string[];
  /** Whether there are folders that others than this machine's user may be let into. */
  readonly hasRoots: boolean;
  /** Jobs of this machine's user may do more than those of others. */
  readonly confines: boolean;
  /** Whether commands of the agents of this machine's user are kept from the server's own files. */
  readonly confinesCommands: () => boolean;
  /** Whether a program of this name is installed: on this PATH, or else on the server's. */
  readonly hasProgram: (name: string, path?: string) => boolean;
  readonly web: WebAccess;
  readonly mcpServers: McpServers;
  /** Who sums up a conversation that is too long: the model, and rules where it cannot, or rules alone. */
  readonly compaction: "model" | "rules";
  readonly retry?: RetryPolicy;
}

/** What one run has to do with. */
export interface RunParts {
  readonly input: AgentInput;
  readonly context: JobContext;
  readonly files: ConfinedFiles;
  readonly settings: AgentSettings & { readonly redactor: RunRedactor };
}

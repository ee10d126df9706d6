import type { ProcessEnd } from "./process-record.ts";

export interface LaunchRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Variables beside those that all commands inherit. */
  readonly env: Readonly<Record<string, string>>;
  /** Where to write who the process is and how it ended. An attempt whose record is there was started before. */
  readonly record: string;
  /** A named pipe to make, which stays open for both sides, or a file to read to its end. */
  readonly stdin: { readonly path: string; readonly isPipe: boolean };
  readonly stdout: string;
  readonly stderr: string;
}

export interface Launched {
  readonly pid: number;
  /** Undefined if this server cannot tell: the record can. */
  readonly ended: Promise<ProcessEnd | undefined>;
}

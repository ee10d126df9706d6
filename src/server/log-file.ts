import { appendFileSync, renameSync, rmSync, statSync } from "node:fs";
import { escapeJsonControls } from "../text/controls.ts";

export type Log = (level: "info" | "warn" | "error", message: string, facts?: Record<string, unknown>) => void;

interface LogOptions {
  /** Undefined writes to stderr: stdout belongs to whoever reads it by machine. */
  readonly file?: string;
  readonly redact: (text: string) => string;
}

const maxBytes = 10_000_000;
const keptFiles = 3;

/** One line of JSON per event, with secrets hidden; the file is turned over before it grows large. */
export function createLog({ file, redact }: LogOptions): Log {
  return (level, message, facts = {}) => {
    const line = redact(
      escapeJsonControls(JSON.stringify({ at: new Date().toISOString(), level, message, ...facts }, showError)),
    );
    if (file === undefined) {
      process.stderr.write(`${line}\n`);
      return;
    }
    try {
      rotate(file);
      appendFileSync(file, `${line}\n`, { mode: 0o600 });
    } catch {
      process.stderr.write(`${line}\n`);
    }
  };
}

function rotate(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size < maxBytes) return;
  rmSync(`${file}.${keptFiles}`, { force: true });
  for (let index = keptFiles - 1; index >= 1; index--) {
    if (statSync(`${file}.${index}`, { throwIfNoEntry: false }) !== undefined)
      renameSync(`${file}.${index}`, `${file}.${index + 1}`);
  }
  renameSync(file, `${file}.1`);
}

function showError(_key: string, value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Json } from "../../../job/json.ts";
import type { CliContext } from "../cli-context.ts";
import type { Fields } from "./input-changes.ts";

/** Lets somebody change an object in their editor. What is no object any more is refused, and kept for them to mend. */
export async function editJson({ environment }: Pick<CliContext, "environment">, value: Fields): Promise<Fields> {
  const editor = environment.variable("VISUAL") || environment.variable("EDITOR") || "vi";
  const folder = await mkdtemp(join(tmpdir(), "longhaul-edit-"));
  const file = join(folder, "input.json");
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await runEditor(editor, file);
  const edited = readObject(await readFile(file, "utf8"), file);
  await rm(folder, { recursive: true, force: true });
  return edited;
}

/** A command line, as it is usual: `code --wait`. */
async function runEditor(editor: string, file: string): Promise<void> {
  const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return;
  throw new LonghaulError(
    "invalid_input",
    `The editor (${editor}) ended with ${code === null ? "a signal" : `exit code ${code}`}, so nothing was started. EDITOR names another one.`,
  );
}

function readObject(text: string, file: string): Fields {
  if (text.trim() === "") throw new LonghaulError("invalid_input", "The file is empty, so nothing was started.");
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw refuse(`it is not JSON (${messageOf(error)})`, file);
  }
  if (isRecord(value)) return value;
  throw refuse("it must be a JSON object", file);
}

function refuse(problem: string, file: string): LonghaulError {
  return new LonghaulError("invalid_input", `Nothing was started: ${problem}. What you wrote is in ${file}`);
}

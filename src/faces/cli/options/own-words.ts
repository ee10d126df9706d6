import type { Command } from "commander";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import { showPath } from "../../../job/issue.ts";
import { formatDuration } from "../show/duration.ts";

/** What is said of a field of the request, of the flag or argument that it comes from: `--name must not be empty.` */
export function toOwnWords(error: unknown, command: Command | undefined): string {
  const message = messageOf(error);
  const field = error instanceof LonghaulError ? String(error.details["field"] ?? "") : "";
  const name = command && findName(command, field);
  const shown = showPath(field);
  const at = message.indexOf(`${shown} `);
  // A configuration has fields of its own.
  const isOfRequest = at === 0 || message.startsWith("The input of ");
  if (name === undefined || at === -1 || !isOfRequest) return message;
  const problem = message.slice(at + shown.length);
  const inner = field
    .split(".")
    .slice(1)
    .filter((key) => !/^\d+$/.test(key));
  const subject = inner.length === 0 ? name : `${name}: ${inner.join(".")}`;
  return `${subject}${/(_ms|Ms)$/.test(field) ? problem.replace(/\d+/g, toDuration) : problem}`;
}

/** `timeout_ms` or `timeoutMs` comes from `--timeout`, `tags.0` from `--tag`, `media_type` from `--type`. */
function findName(command: Command, field: string): string | undefined {
  const [first = ""] = field.split(".");
  const words = first.replace(/[_A-Z]/g, (sign) => (sign === "_" ? "-" : `-${sign.toLowerCase()}`));
  const name = words.replace(/(-in)?-(ms|usd)$/, "");
  const names = [name, name.replace(/s$/, ""), name.replace(/^media-/, "")];
  const option = command.options.find(({ long }) => names.some((each) => long === `--${each}`));
  return option?.long ?? command.registeredArguments.find((each) => names.includes(each.name()))?.name();
}

/** As people write it: `366d`, not `366d00h`. */
function toDuration(milliseconds: string): string {
  return formatDuration(Number(milliseconds)).replace(/00[a-z]$/, "");
}

import { RE2JS } from "re2js";
import { LonghaulError } from "../job/error.ts";
import { messageOf } from "../job/failure.ts";

/** RE2, because a pattern comes from a caller and must not be able to hang the server. */
export function compilePattern(pattern: string): (line: string) => boolean {
  try {
    const compiled = RE2JS.compile(pattern);
    return (line) => compiled.matcher(line).find();
  } catch (error) {
    throw new LonghaulError(
      "invalid_input",
      `"${pattern}" is not a regular expression that RE2 takes (no look-around, no back-references): ${messageOf(error)}.`,
      { cause: error },
    );
  }
}

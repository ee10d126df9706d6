import { InvalidArgumentError, Option } from "commander";
import { readProfileSet } from "../../../config/profiles.ts";
import { messageOf } from "../../../job/failure.ts";

/** Which tools an MCP client is to have. The value stays as it was written: `all` means more in a later version. */
export function profileOption(): Option {
  return new Option("--profile <profile,…>", "which tools: one profile, several, or all").argParser((text) => {
    try {
      readProfileSet(text);
      return text;
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  });
}

import type { Command } from "commander";
import type { CliContext } from "./cli-context.ts";

/** A command as the program sees it. */
export interface CliCommand {
  /** Adds the arguments and options. */
  readonly describe: (command: Command) => void;
  /** The exit code; none is success. */
  readonly run: (cli: CliContext, options: object, words: readonly unknown[]) => Promise<number | void>;
}

interface CommandDefinition<Options extends object, Words extends readonly unknown[]> {
  readonly describe?: (command: Command) => void;
  readonly run: (
    cli: CliContext,
    options: Options & { readonly json?: true },
    ...words: Words
  ) => Promise<number | void>;
}

/** `Options` and `Words` are what `describe` makes commander produce. */
export function defineCommand<Options extends object, Words extends readonly unknown[] = []>({
  describe,
  run,
}: CommandDefinition<Options, Words>): CliCommand {
  return {
    describe: (command) => describe?.(command),
    run: (cli, options, words) => run(cli, options as Options & { json?: true }, ...(words as Words)),
  };
}

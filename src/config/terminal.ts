/** What is known of the place that a command line writes to. */
export interface Terminal {
  readonly out: TerminalStream;
  readonly err: TerminalStream;
  /** Width of the terminal; undefined when stdout is none, so that nothing is cut in a pipe. */
  readonly columns: () => number | undefined;
}

export interface TerminalStream {
  /** Lines can be drawn over: a terminal, and not a dumb one. */
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
}

const defaultColumns = 80;

/** NO_COLOR and FORCE_COLOR are honoured; a dumb terminal gets neither colours nor lines that change. */
export function readTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const read = ({ isTTY }: { isTTY?: boolean }): TerminalStream => {
    const isTerminal = isTTY === true && env["TERM"] !== "dumb";
    return { isTerminal, hasColor: wantsColor(env) ?? isTerminal };
  };
  const columns = (): number | undefined => {
    if (!stdout.isTTY) return undefined;
    return stdout.columns || Number(env["COLUMNS"]) || defaultColumns;
  };
  return { out: read(stdout), err: read(stderr), columns };
}

function wantsColor(env: NodeJS.ProcessEnv): boolean | undefined {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  return forced === undefined ? undefined : forced !== "0" && forced !== "false";
}

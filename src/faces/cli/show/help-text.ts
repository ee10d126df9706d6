import type { CommandEntry } from "../command-table.ts";

interface Section {
  readonly title: string;
  /** A line for each. */
  readonly main: readonly string[];
  /** Only named. */
  readonly others: readonly string[];
}

/** Where the commands are shown; a name that the table lacks is left out. */
export const sections: readonly Section[] = [
  {
    title: "Start",
    main: ["run", "agent", "crawl"],
    others: ["analyze", "map", "markdown", "endpoint", "schedule", "start"],
  },
  {
    title: "Look",
    main: ["ps", "top", "show", "logs", "wait"],
    others: ["open", "status", "stats", "events", "batch", "inbox", "library"],
  },
  {
    title: "Steer",
    main: ["attach", "cancel", "retry", "rerun", "answer"],
    others: ["send", "stop", "restart", "rm", "pause", "resume", "prune"],
  },
  { title: "Connect", main: ["add"], others: ["remove", "mcp", "token", "webhook", "notify", "completions"] },
  {
    title: "Server",
    main: ["serve"],
    others: ["server", "service", "worker", "machines", "migrate", "doctor", "version"],
  },
  { title: "In a job", main: [], others: ["progress", "ask", "artifact"] },
];

const titleWidth = 10;
const nameWidth = 9;

const examples = `Examples:
  longhaul run -- npm test                 run it, follow it, exit with its code
  longhaul run -d --name api -- npm start  run it in the background
  longhaul logs -f api                     follow the output
A job is named by its id, the last characters of its id, or its name.
`;

/** What everybody sees first: the commands by what they are for, on one screen. */
export function overviewText(table: readonly CommandEntry[]): string {
  const byName = new Map(table.map((entry) => [entry.name, entry]));
  const lines = sections.flatMap(({ title, main, others }) => {
    const known = others.filter((name) => byName.has(name));
    const rows = main.flatMap((name) => {
      const entry = byName.get(name);
      return entry === undefined ? [] : [[name, firstPart(entry.summary)] as const];
    });
    const all = known.length === 0 ? rows : [...rows, [rows.length === 0 ? "" : "also", known.join(", ")] as const];
    return all.map(([name, text], index) => {
      const heading = (index === 0 ? title : "").padEnd(titleWidth);
      return `${heading}${name === "" ? "" : name.padEnd(nameWidth)}${text}`;
    });
  });
  return `Usage: longhaul COMMAND [options]     Help: longhaul help COMMAND, help --all
Runs long work that outlives everything but its own end.

${lines.join("\n")}

${examples}`;
}

/** A summary says the most important first; the rest is in the command's own help. */
function firstPart(summary: string): string {
  return summary.split(/[;:]/)[0] ?? summary;
}

/** Every command, those of groups and other names too, a line each. */
export function fullHelpText(table: readonly CommandEntry[]): string {
  const rows = table.flatMap((entry) => toRows(entry, ""));
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return `${rows.map(([name, summary]) => `${name.padEnd(width)}${summary}`).join("\n")}\n`;
}

function toRows({ name, summary, isHidden, children }: CommandEntry, before: string): [string, string][] {
  if (isHidden === true) return [];
  const inner = children?.flatMap((child) => toRows(child, `${before}${name} `));
  return inner ?? [[`${before}${name}`, summary]];
}

import type { PageAnalysis } from "../../../kinds/page/contract.ts";
import type { Style } from "./style.ts";

type Performance = NonNullable<PageAnalysis["performance"]>;
type Rating = Performance["vitals"]["firstPaint"]["rating"];

const maxFindings = 6;

/** How the page loads, for a terminal: under which conditions, how fast, and what to save. */
export function performanceLines(
  { conditions, vitals, transfer, findings, notes }: Performance,
  style: Style,
  clean: (text: string) => string,
): string[] {
  const paint = (text: string, rating: Rating): string =>
    rating === null ? text : { good: style.green, needs_improvement: style.yellow, poor: style.red }[rating](text);
  const timed = (name: string, { ms, rating }: { ms: number; rating: Rating }): string =>
    `${name} ${paint(`${ms} ms`, rating)}`;
  const { layoutShift } = vitals;
  const marks = { serious: style.red("✗"), moderate: style.yellow("!"), minor: style.dim("·") };
  const left = findings.length - maxFindings;
  return [
    "",
    `  ${style.bold("loading")} ${style.dim(conditions.preset === "none" ? "as fast as it goes" : `as ${conditions.preset}`)}`,
    `  ${[timed("first byte", vitals.firstByte), timed("first paint", vitals.firstPaint), timed("largest paint", vitals.largestPaint), timed("blocking", vitals.blocking), `layout shift ${paint(String(layoutShift.score), layoutShift.rating)}`].join(" · ")}`,
    `  ${style.dim(`${kilobytes(transfer.bytes)} in ${transfer.requests} requests`)}`,
    ...(findings.length === 0 ? [`  ${style.green("✓")} nothing to save was found`] : []),
    ...findings
      .slice(0, maxFindings)
      .flatMap(({ severity, title, evidence, savedBytes, isEstimate, places, urls }) => [
        `  ${marks[severity]} ${clean(title)}${savedBytes > 0 ? style.dim(`  ${isEstimate ? "about " : ""}−${kilobytes(savedBytes)}`) : ""}`,
        style.dim(`    ${clean(evidence).slice(0, 110)}  ${clean(places[0]?.selector ?? urls[0] ?? "").slice(0, 80)}`),
      ]),
    ...(left > 0 ? [style.dim(`  and ${left} more`)] : []),
    ...notes.map((note) => style.dim(`  ${clean(note)}`)),
  ];
}

function kilobytes(bytes: number): string {
  return bytes >= 1_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000).toFixed(1)} KB`;
}

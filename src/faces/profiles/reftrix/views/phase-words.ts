import type { PageAnalysis } from "../../../../kinds/page/contract.ts";

/** What Reftrix calls a phase; it has none in which a report is written. */
const phaseWords: Readonly<Record<string, PhaseWord>> = {
  load: "ingest",
  layout: "layout",
  motion: "motion",
  quality: "quality",
  responsive: "responsive",
};

export type PhaseWord = "ingest" | "layout" | "motion" | "quality" | "responsive";

export function phaseWord(name: string): PhaseWord | undefined {
  return phaseWords[name];
}

export function phasesThat({ phases }: PageAnalysis, ...states: readonly string[]): PhaseWord[] {
  return phases.flatMap(({ name, state }) => (states.includes(state) ? (phaseWord(name) ?? []) : []));
}

export function phaseMs({ phases }: PageAnalysis, name: string): number {
  return phases.find((phase) => phase.name === name)?.ms ?? 0;
}

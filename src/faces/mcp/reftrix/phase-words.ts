const words = {
  load: "ingest",
  layout: "layout",
  motion: "motion",
  quality: "quality",
  responsive: "responsive",
  report: "report",
} as const;

export type PhaseWord = (typeof words)[keyof typeof words];

/** What Reftrix calls a phase; it has none for the report. */
export function phaseWord(name: string): PhaseWord {
  return words[name as keyof typeof words] ?? "ingest";
}

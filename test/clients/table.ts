export interface Cell {
  readonly client: string;
  readonly scenario: string;
  readonly result: "pass" | "fail" | "n/a" | "missing";
  /** Why it failed or makes no sense, or what is worth knowing. */
  readonly detail: string;
  readonly seconds: number;
}

/** Scenario × client as Markdown, with whatever did not pass below. */
export function formatCells(cells: readonly Cell[]): string {
  const clients = [...new Set(cells.map(({ client }) => client))];
  const scenarios = [...new Set(cells.map(({ scenario }) => scenario))];
  const find = (scenario: string, client: string): string =>
    cells.find((cell) => cell.scenario === scenario && cell.client === client)?.result ?? "";
  const row = (words: readonly string[]): string => `| ${words.join(" | ")} |`;
  const notes = cells
    .filter(({ result }) => result !== "pass")
    .map(({ client, scenario, result, detail }) => `- ${client}, ${scenario}: ${result}: ${detail}`);
  return [
    row(["scenario", ...clients]),
    row(["---", ...clients.map(() => "---")]),
    ...scenarios.map((scenario) => row([scenario, ...clients.map((client) => find(scenario, client))])),
    "",
    ...notes,
  ].join("\n");
}

import { findingTexts } from "./finding-texts.ts";
import type { Finding, Severity } from "./quality.ts";

/** One of our own findings, with what shows it. */
export function found(
  id: keyof typeof findingTexts,
  evidence: string,
  more: Partial<Pick<Finding, "severity" | "count" | "selectors" | "boxes">> = {},
): Finding {
  const [topic, severity, title, advice] = findingTexts[id];
  const selectors = (more.selectors ?? []).slice(0, 10);
  const boxes = selectors.map((_selector, index) => more.boxes?.[index] ?? null);
  return { id, topic, severity, title, evidence, advice, count: 1, ...more, selectors, boxes };
}

const order: Readonly<Record<Severity, number>> = { critical: 0, serious: 1, moderate: 2, minor: 3 };

export function bySeverity(one: Finding, other: Finding): number {
  return order[one.severity] - order[other.severity] || other.count - one.count;
}

import type { SectionFacts } from "../facts.ts";
import type { Section, SectionType } from "./layout.ts";
import { findEvidence, type Evidence } from "./section-evidence.ts";

/** What each section is. A page has at most one hero, at its top, and one footer, at its end. */
export function classifySections(facts: readonly SectionFacts[], pageHeight: number): Section[] {
  const height = Math.max(1, pageHeight);
  const firstContent = facts.findIndex(({ tag, headings }) => tag !== "nav" && headings > 0);
  const ranked = facts.map((section, index) => ({
    section,
    ranking: rank(
      findEvidence(section, {
        start: section.top / height,
        end: (section.top + section.height) / height,
        isFirstContent: index === firstContent,
      }),
    ),
  }));
  const bestOf = (type: SectionType): number =>
    Math.max(0, ...ranked.map(({ ranking }) => (ranking[0]?.type === type ? ranking[0].confidence : 0)));
  const maxHero = bestOf("hero");
  const maxFooter = bestOf("footer");
  return ranked.map(({ section, ranking }, index) => {
    const isSpare = ({ type, confidence }: Ranked): boolean =>
      (type === "hero" && (confidence < maxHero || section.top / height > 0.3)) ||
      (type === "footer" && confidence < maxFooter);
    const chosen = ranking.find((candidate) => !isSpare(candidate) && candidate.confidence >= 0.35);
    return toSection(section, index, chosen);
  });
}

interface Ranked {
  readonly type: SectionType;
  readonly confidence: number;
  readonly reasons: readonly string[];
}

/** Independent reasons: the chance that all of them mislead is the product of each one's. */
function rank(evidence: readonly Evidence[]): Ranked[] {
  const types = [...new Set(evidence.map(({ type }) => type))];
  return types
    .map((type) => {
      const own = evidence.filter((item) => item.type === type);
      const doubt = own.reduce((product, { weight }) => product * (1 - weight), 1);
      return { type, confidence: Math.min(0.99, 1 - doubt), reasons: own.map(({ reason }) => reason) };
    })
    .toSorted((a, b) => b.confidence - a.confidence);
}

function toSection(section: SectionFacts, index: number, chosen: Ranked | undefined): Section {
  const { headings, paragraphs, links, images, buttons } = section;
  return {
    id: `section-${index + 1}`,
    type: chosen?.type ?? "unknown",
    position: index,
    heading: section.heading,
    confidence: Math.round((chosen?.confidence ?? 0.2) * 100) / 100,
    reasons: chosen?.reasons ?? [],
    selector: section.selector,
    top: section.top,
    height: section.height,
    counts: { headings, paragraphs, links, images, buttons },
    colors: {
      background: section.background,
      text: section.color,
      gradient: section.hasGradient,
      image: section.hasBackgroundImage,
    },
    content: section.content,
  };
}

import type { DeclaredMotion, DocumentFacts, PageFacts } from "../facts.ts";
import { restingSelector } from "../in-page/match-selectors.ts";

/** The static reader keeps so many classes; of a page with more it is not known which it has. */
const maxClasses = 1_500;

/** Takes what is declared for classes and elements that the HTML does not have as not used. */
export function markUsed(facts: PageFacts): PageFacts {
  const { document, css } = facts;
  const known = new Set(document.classes);
  const mark = (motion: DeclaredMotion): DeclaredMotion => ({
    ...motion,
    isUsed: couldMatch(motion.selector, document, known),
  });
  return {
    ...facts,
    css: { ...css, animations: css.animations.map(mark), transitions: css.transitions.map(mark) },
  };
}

/** By the last step of each alternative alone: what stands before it may be the page's own body. */
function couldMatch(selector: string, { tags }: DocumentFacts, known: ReadonlySet<string>): boolean {
  if (known.size >= maxClasses) return true;
  return restingSelector(selector)
    .split(",")
    .some((alternative) => {
      const subject =
        alternative
          .trim()
          .split(/[\s>+~]+/)
          .at(-1) ?? "";
      // What stands in brackets says more than names do.
      if (/[[(\\]/.test(subject)) return true;
      const tag = /^[a-z][\w-]*/i.exec(subject)?.[0].toLowerCase();
      const named = subject.match(/\.[\w-]+/g) ?? [];
      const hasTag = tag === undefined || tag === "html" || tag === "body" || (tags[tag] ?? 0) > 0;
      return hasTag && named.every((name) => known.has(name.slice(1)));
    });
}

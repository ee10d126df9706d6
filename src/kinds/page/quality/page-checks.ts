import type { PageFacts } from "../facts.ts";
import { finding, type Finding } from "./findings.ts";

/** What the document itself shows: for search engines, and for whoever maintains it. */
export function checkPage(facts: PageFacts): Finding[] {
  return [...checkSearch(facts), ...checkHeadings(facts), ...checkImages(facts), ...checkPractice(facts)];
}

function checkSearch({ document }: PageFacts): Finding[] {
  const { title, description, robotsMeta } = document;
  const found: (Finding | false)[] = [
    title === "" &&
      finding({
        id: "title-missing",
        topic: "seo",
        severity: "serious",
        title: "The page has no title",
        evidence: "no <title>",
        advice: "Give it a title of 10 to 60 characters.",
      }),
    title.length > 70 &&
      finding({
        id: "title-long",
        topic: "seo",
        severity: "minor",
        title: "The title is cut in search results",
        evidence: `${title.length} characters`,
        advice: "Shorten it to 60 characters.",
      }),
    description === "" &&
      finding({
        id: "description-missing",
        topic: "seo",
        severity: "moderate",
        title: "The page has no description",
        evidence: 'no <meta name="description">',
        advice: "Describe the page in 50 to 160 characters.",
      }),
    /noindex/i.test(robotsMeta) &&
      finding({
        id: "noindex",
        topic: "seo",
        severity: "moderate",
        title: "Search engines are told to leave the page out",
        evidence: robotsMeta,
        advice: "Remove noindex if the page is to be found.",
      }),
    document.viewportMeta === "" &&
      finding({
        id: "viewport-missing",
        topic: "practice",
        severity: "serious",
        title: "Phones show the page shrunk",
        evidence: 'no <meta name="viewport">',
        advice: "Add width=device-width, initial-scale=1.",
      }),
  ];
  return found.filter((item) => item !== false);
}

function checkHeadings({ document, content }: PageFacts): Finding[] {
  const { headings } = document;
  const topHeadings = headings.filter(({ level }) => level === 1).length;
  const skip = headings.find(({ level }, index) => level - (headings[index - 1]?.level ?? level) > 1);
  const vague = content.links.filter(({ text }) => /^(click here|here|read more|more|link)$/i.test(text.trim()));
  const found: (Finding | false)[] = [
    topHeadings === 0 &&
      finding({
        id: "heading-missing",
        topic: "seo",
        severity: "moderate",
        title: "The page has no main heading",
        evidence: "no <h1>",
        advice: "Add one <h1> that says what the page is.",
      }),
    topHeadings > 1 &&
      finding({
        id: "heading-many",
        topic: "seo",
        severity: "minor",
        title: "The page has several main headings",
        evidence: `${topHeadings} <h1>`,
        advice: "Keep one <h1>.",
        count: topHeadings,
      }),
    skip !== undefined &&
      finding({
        id: "heading-skip",
        topic: "accessibility",
        severity: "minor",
        title: "Headings skip a level",
        evidence: `before "${skip.text.slice(0, 80)}" (h${skip.level})`,
        advice: "Go down one level at a time.",
      }),
    vague.length > 0 &&
      finding({
        id: "link-text",
        topic: "seo",
        severity: "minor",
        title: "Links do not say where they lead",
        evidence: `"${vague[0]?.text ?? ""}"`,
        advice: "Name the target in the link.",
        count: vague.length,
        selectors: vague.map(({ selector }) => selector),
      }),
  ];
  return found.filter((item) => item !== false);
}

function checkImages({ content }: PageFacts): Finding[] {
  const { images } = content;
  const broken = images.filter(({ isBroken }) => isBroken);
  const unsized = images.filter(({ hasSize, isBroken }) => !hasSize && !isBroken);
  const oversized = images.filter(
    ({ width, naturalWidth }) => width > 0 && naturalWidth > width * 2.5 && naturalWidth > 600,
  );
  const eager = images.filter(({ isBelowFold, isLazy }) => isBelowFold && !isLazy);
  const of = (list: typeof images): { count: number; selectors: string[] } => ({
    count: list.length,
    selectors: list.map(({ selector }) => selector),
  });
  const found: (Finding | false)[] = [
    broken.length > 0 &&
      finding({
        id: "image-broken",
        topic: "links",
        severity: "serious",
        title: "Images do not load",
        evidence: broken
          .slice(0, 3)
          .map(({ source }) => source)
          .join(" "),
        advice: "Correct their addresses.",
        ...of(broken),
      }),
    unsized.length > 0 &&
      finding({
        id: "image-unsized",
        topic: "performance",
        severity: "moderate",
        title: "Images have no size until they are loaded",
        evidence: `${unsized.length} without width and height`,
        advice: "Set width and height, so that nothing moves when they arrive.",
        ...of(unsized),
      }),
    oversized.length > 0 &&
      finding({
        id: "image-oversized",
        topic: "performance",
        severity: "moderate",
        title: "Images are far larger than shown",
        evidence: oversized
          .slice(0, 3)
          .map(({ naturalWidth, width }) => `${naturalWidth} px shown at ${width} px`)
          .join(", "),
        advice: "Serve them in the sizes that are shown (srcset).",
        ...of(oversized),
      }),
    eager.length > 2 &&
      finding({
        id: "image-eager",
        topic: "performance",
        severity: "minor",
        title: "Images far below are loaded at once",
        evidence: `${eager.length} without loading=lazy`,
        advice: 'Add loading="lazy" to them.',
        ...of(eager),
      }),
  ];
  return found.filter((item) => item !== false);
}

function checkPractice({ document, content, css }: PageFacts): Finding[] {
  const slow = css.fontFaces.filter(({ display }) => display === "" || display === "auto" || display === "block");
  const found: (Finding | false)[] = [
    !document.hasDoctype &&
      finding({
        id: "doctype-missing",
        topic: "practice",
        severity: "moderate",
        title: "The browser shows the page in quirks mode",
        evidence: "no <!doctype html>",
        advice: "Begin with <!doctype html>.",
      }),
    content.insecure.length > 0 &&
      finding({
        id: "mixed-content",
        topic: "practice",
        severity: "serious",
        title: "A secure page loads parts over http",
        evidence: content.insecure[0] ?? "",
        advice: "Use https for all of them.",
        count: content.insecure.length,
      }),
    content.scripts.blocking > 0 &&
      finding({
        id: "script-blocking",
        topic: "performance",
        severity: "moderate",
        title: "Scripts hold up the first paint",
        evidence: `${content.scripts.blocking} in the head without defer or async`,
        advice: "Add defer, or move them.",
        count: content.scripts.blocking,
      }),
    content.inlineHandlers > 5 &&
      finding({
        id: "inline-handlers",
        topic: "practice",
        severity: "minor",
        title: "Event handlers are written into the markup",
        evidence: `${content.inlineHandlers} attributes such as onclick`,
        advice: "Register them in scripts: a content security policy can then forbid inline code.",
        count: content.inlineHandlers,
      }),
    slow.length > 0 &&
      finding({
        id: "font-display",
        topic: "performance",
        severity: "minor",
        title: "Text waits for its font",
        evidence: slow
          .slice(0, 3)
          .map(({ family }) => family)
          .join(", "),
        advice: "Set font-display: swap.",
        count: slow.length,
      }),
    document.elements > 5_000 &&
      finding({
        id: "dom-size",
        topic: "performance",
        severity: "moderate",
        title: "The document is very large",
        evidence: `${document.elements} elements`,
        advice: "Show long lists in parts.",
      }),
  ];
  return found.filter((item) => item !== false);
}

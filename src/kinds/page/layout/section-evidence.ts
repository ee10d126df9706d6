import type { SectionFacts } from "../facts.ts";
import type { SectionType } from "./layout.ts";

/** One reason to take a section for something, and how much it weighs alone. */
export interface Evidence {
  readonly type: SectionType;
  readonly weight: number;
  readonly reason: string;
}

/** Where on the page a section is, in parts of the page's height. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly isFirstContent: boolean;
}

const wordTypes: Readonly<Record<string, SectionType>> = toWordTypes({
  hero: "hero banner jumbotron masthead splash",
  navigation: "nav navbar navigation menu topbar",
  footer: "footer colophon",
  feature: "feature features services benefits capabilities",
  cta: "cta calltoaction getstarted",
  testimonial: "testimonial testimonials review reviews quotes",
  pricing: "pricing price prices plans tiers",
  about: "about mission",
  contact: "contact contacts enquiry inquiry",
  gallery: "gallery photos lightbox",
  partners: "partners partner clients logos sponsors customers brands",
  portfolio: "portfolio projects",
  team: "team staff",
  stories: "stories blog news articles posts press",
  research: "research publications papers studies",
  subscribe: "subscribe newsletter signup mailinglist",
  stats: "stats stat statistics metrics numbers counters",
  faq: "faq faqs questions accordion",
  sidebar: "sidebar rail",
});

const headingPatterns: readonly (readonly [SectionType, RegExp])[] = [
  ["faq", /\b(faq|frequently asked|questions|よくある質問)/i],
  ["pricing", /\b(pricing|plans?|prices)\b|料金/i],
  [
    "testimonial",
    /\b(what .{0,30} say|testimonials?|customer reviews|reviews (from|by|of our)|loved by|trusted by .{0,20}(people|users))|お客様の声/i,
  ],
  ["team", /\b(our team|the team|meet .{0,20}team|people behind)|チーム/i],
  ["contact", /\b(contact|get in touch|talk to us|reach us)|お問い合わせ/i],
  [
    "about",
    /^about\b|\babout (us|me|the (company|author|project))\b|\b(our (story|mission)|who we are)\b|会社概要|私たちについて/i,
  ],
  ["subscribe", /\b(newsletter|subscribe|stay (up to date|in the loop)|join .{0,20}list)|メルマガ/i],
  ["partners", /\b(partners|clients|customers|as seen in|trusted by|used by)|パートナー|導入/i],
  ["portfolio", /\b(portfolio|our work|selected work|projects|case studies)|実績/i],
  ["gallery", /\b(gallery|photos)|ギャラリー/i],
  ["stories", /\b(blog|news|stories|articles|latest posts)|ニュース/i],
  ["research", /\b(research|publications|papers)|研究/i],
  ["stats", /\b(in numbers|by the numbers|our impact|statistics)|数字/i],
  ["cta", /\b(get started|start (now|today|your)|try .{0,20}free|ready to|sign up)|今すぐ|始めよう/i],
  ["feature", /\b(features?|what you get|how it works|why .{1,30}|services|benefits)|特徴|機能/i],
];

/** Everything about a section that speaks for a type. Each reason is weak or strong by itself; several add up. */
export function findEvidence(section: SectionFacts, place: Place): Evidence[] {
  const byText = findProse(section);
  // Running text quotes, counts and asks about anything, and is filed under any word: that says nothing of what it is.
  if (byText.some(({ type }) => type === "article")) return [...byElement(section), ...byText];
  return [...byElement(section), ...byText, ...byWords(section), ...byHeading(section), ...byContent(section, place)];
}

const articleCharacters = 1_200;

function findProse(section: SectionFacts): Evidence[] {
  const { tag, role, paragraphs, characters, linkCharacters, proseCharacters } = section;
  const isRead = proseCharacters > characters / 2 && linkCharacters < characters * 0.4;
  const isArticle = tag === "article" || role === "article";
  if (isRead && ((paragraphs >= 4 && proseCharacters >= articleCharacters) || (isArticle && proseCharacters >= 600)))
    return [{ type: "article", weight: isArticle ? 0.9 : 0.75, reason: `${paragraphs} paragraphs of running text` }];
  const isText = characters >= 200 && linkCharacters < characters * 0.4;
  return isText ? [{ type: "content", weight: 0.5, reason: "text" }] : [];
}

function byElement({ tag, role, links, hasTopHeading, headings }: SectionFacts): Evidence[] {
  if (tag === "aside" || role === "complementary") return [{ type: "sidebar", weight: 0.8, reason: "aside element" }];
  if (tag === "nav" || role === "navigation")
    return [{ type: "navigation", weight: 0.93, reason: "navigation element" }];
  if (tag === "footer" || role === "contentinfo") return [{ type: "footer", weight: 0.93, reason: "footer element" }];
  const isBar = (tag === "header" || role === "banner") && links > 1 && !hasTopHeading && headings < 2;
  return isBar ? [{ type: "navigation", weight: 0.8, reason: "page header with links" }] : [];
}

function byWords({ words }: SectionFacts): Evidence[] {
  const named = new Map<SectionType, string>();
  for (const word of words) {
    const type = wordTypes[word];
    if (type !== undefined && !named.has(type)) named.set(type, word);
  }
  return [...named].map(([type, word]) => ({ type, weight: 0.8, reason: `named "${word}"` }));
}

/** A long heading speaks of many things, and names none. */
const longestHeading = 60;

function byHeading({ heading }: SectionFacts): Evidence[] {
  if (heading.length > longestHeading) return [];
  return headingPatterns
    .filter(([, pattern]) => pattern.test(heading))
    .slice(0, 2)
    .map(([type], index) => ({ type, weight: index === 0 ? 0.65 : 0.4, reason: "words of its heading" }));
}

const longestQuotations = 3_000;

/** Made to be looked at, not only to say what the page is called. */
function isShow({ buttons, links, height, hasGradient, hasBackgroundImage }: SectionFacts): boolean {
  return links <= 12 && (buttons > 0 || height >= 300 || hasGradient || hasBackgroundImage);
}

function byContent(section: SectionFacts, place: Place): Evidence[] {
  const { text, fields, headings, repeated } = section;
  const found: (Evidence | false)[] = [
    section.hasTopHeading &&
      place.start < 0.2 &&
      isShow(section) && {
        type: "hero",
        weight: section.buttons > 0 ? 0.8 : 0.65,
        reason: "the page's main heading at its top",
      },
    place.isFirstContent &&
      place.start < 0.2 &&
      headings > 0 &&
      section.height > 300 && { type: "hero", weight: 0.35, reason: "first large block" },
    // More than a few are a list of goods.
    section.prices >= 2 &&
      section.prices <= 12 &&
      repeated >= 2 && { type: "pricing", weight: 0.7, reason: `${section.prices} prices side by side` },
    section.quotes > 0 &&
      section.characters < longestQuotations && {
        type: "testimonial",
        weight: Math.min(0.75, 0.35 + section.quotes * 0.15),
        reason: "quotations",
      },
    section.details >= 3 && { type: "faq", weight: 0.6, reason: `${section.details} parts that open` },
    (text.match(/\?/g) ?? []).length >= 3 && headings >= 3 && { type: "faq", weight: 0.5, reason: "several questions" },
    fields.includes("textarea") && { type: "contact", weight: 0.65, reason: "form with a message" },
    fields.includes("email") &&
      fields.length <= 2 && { type: "subscribe", weight: 0.6, reason: "form for an e-mail address" },
    section.images >= 4 &&
      section.tag !== "header" &&
      headings < section.images / 2 &&
      section.paragraphs < section.images && { type: "gallery", weight: 0.55, reason: `${section.images} images` },
    section.bigNumbers >= 3 &&
      section.prices < 2 && { type: "stats", weight: 0.6, reason: `${section.bigNumbers} figures` },
    repeated >= 3 &&
      headings >= 3 &&
      section.paragraphs >= 3 && { type: "feature", weight: 0.6, reason: `${repeated} blocks alike` },
    headings <= 1 &&
      section.buttons > 0 &&
      section.paragraphs <= 2 &&
      section.links <= 3 && { type: "cta", weight: 0.45, reason: "little more than a button" },
    /©|\(c\) ?\d{4}|copyright|all rights reserved/i.test(text) &&
      place.end > 0.8 && { type: "footer", weight: 0.6, reason: "copyright line at the end" },
    section.links >= 3 &&
      section.linkCharacters > section.characters * 0.6 &&
      section.paragraphs === 0 &&
      headings === 0 && { type: "navigation", weight: 0.5, reason: `${section.links} links and no text` },
  ];
  return found.filter((evidence) => evidence !== false);
}

function toWordTypes(words: Partial<Record<SectionType, string>>): Record<string, SectionType> {
  return Object.fromEntries(
    Object.entries(words).flatMap(([type, list]) => list.split(" ").map((word) => [word, type as SectionType])),
  );
}

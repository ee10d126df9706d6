import type { DocumentFacts } from "../facts.ts";
import type { Layout } from "./layout.ts";

interface Fingerprint {
  readonly name: string;
  /** A file that only this framework brings. */
  readonly source: RegExp;
  readonly classes: RegExp;
  /** How many classes must fit before they say anything. */
  readonly least: number;
  readonly attribute?: string;
  readonly global?: string;
  /** Names of CSS variables that only its style sheets set. */
  readonly variables?: RegExp;
  /** The share of all classes that must fit, for one whose classes others have too; they are not enough then. */
  readonly density?: number;
}

const fingerprints: readonly Fingerprint[] = [
  {
    name: "tailwind",
    source: /tailwind(?:css)?[^/]*\.(?:css|js)|cdn\.tailwindcss\.com/i,
    classes:
      /^(?:(?:sm|md|lg|xl|2xl|hover|focus|dark|group-hover):)*-?(?:[mp][trblxy]?-(?:\d|auto|px|\[)|text-(?:xs|sm|base|lg|\d?xl|center|[a-z]+-\d{2,3})|bg-[a-z]+-\d{2,3}|flex-(?:row|col|1)|grid-cols-|gap-\d|rounded(?:-|$)|shadow(?:-|$)|items-|justify-|space-[xy]-|w-(?:full|\d)|h-(?:full|screen|\d)|max-w-|min-h-|font-(?:bold|medium|semibold)|leading-|tracking-)/,
    least: 6,
    variables: /^--tw-/,
    density: 0.25,
  },
  {
    name: "bootstrap",
    source: /bootstrap[^/]*\.(?:css|js)|\/bootstrap\//i,
    variables: /^--(?:bs|tblr)-/,
    classes:
      /^(?:container-fluid|row|col-(?:xs|sm|md|lg|xl)-\d+|navbar-\w+|btn-(?:primary|secondary|outline-\w+|lg|sm)|card-(?:body|title|text)|form-control|d-(?:flex|none|block)|[mp][tbsexy]-[0-5])$/,
    least: 4,
    global: "bootstrap",
  },
  {
    name: "bulma",
    source: /bulma/i,
    variables: /^--bulma-/,
    classes: /^(?:is-(?:primary|link|info|\d+-\w+|one-\w+|multiline)|has-text-\w+|columns|navbar-(?:burger|item))$/,
    least: 4,
  },
  {
    name: "foundation",
    source: /foundation(?:\.min)?\.(?:css|js)/i,
    classes: /^(?:grid-x|cell|(?:small|medium|large)-\d+|callout|top-bar)$/,
    least: 4,
  },
  {
    name: "materialize",
    source: /materialize/i,
    classes: /^(?:waves-effect|waves-light|collection-item|sidenav)$/,
    least: 2,
  },
  { name: "material-ui", variables: /^--mui-/, source: /@mui|material-ui/i, classes: /^Mui[A-Z]/, least: 2 },
  { name: "uikit", source: /uikit/i, classes: /^uk-/, least: 3, global: "UIkit" },
  {
    name: "webflow",
    source: /webflow/i,
    classes: /^w-(?:nav|container|layout|row|col|button|inline|richtext)/,
    least: 2,
    attribute: "data-w-id",
    global: "Webflow",
  },
  {
    name: "framer",
    source: /framerusercontent|framer\.com/i,
    classes: /^framer-/,
    least: 2,
    attribute: "data-framer-name",
  },
  { name: "elementor", source: /elementor/i, classes: /^elementor-/, least: 3, global: "elementorFrontend" },
  { name: "squarespace", source: /squarespace/i, classes: /^sqs-/, least: 2, global: "Squarespace" },
  { name: "wix", source: /wixstatic|parastorage/i, classes: /^(?:wixui-|comp-)/, least: 3, global: "wixBiSession" },
  { name: "jquery-ui", source: /jquery-ui/i, classes: /^ui-(?:widget|state|corner|button)/, least: 2 },
  { name: "styled-components", source: /styled-components/i, classes: /^sc-[a-zA-Z0-9]{5,}/, least: 3 },
  { name: "css-modules", source: /(?!)/, classes: /^[A-Za-z][\w-]*_[\w-]+__[A-Za-z0-9_-]{5,}$/, least: 3 },
];

/** Which framework wrote the styles. Classes alone are weak evidence: many frameworks, and people, use the same words. */
export function detectFramework(document: DocumentFacts, variables: readonly { name: string }[]): Layout["framework"] {
  const matches = fingerprints
    .map((fingerprint) => ({ name: fingerprint.name, ...weigh(fingerprint, document, variables) }))
    .filter(({ evidence }) => evidence.length > 0)
    .toSorted((a, b) => b.confidence - a.confidence);
  const [first, ...rest] = matches;
  if (first === undefined || first.confidence < leastConfidence)
    return {
      framework: "vanilla",
      confidence: 0.5,
      evidence: ["no class, file, variable or global of a known framework"],
      secondary: [],
    };
  return {
    framework: first.name,
    confidence: Math.round(Math.min(0.99, first.confidence) * 100) / 100,
    evidence: first.evidence,
    secondary: rest.filter(({ confidence }) => confidence >= leastConfidence).map(({ name }) => name),
  };
}

const leastConfidence = 0.45;

function weigh(
  { source, classes, least, attribute, global, variables: names, density = 0 }: Fingerprint,
  document: DocumentFacts,
  variables: readonly { name: string }[],
): { evidence: string[]; confidence: number } {
  const file = document.sources.find((url) => source.test(url));
  const fitting = document.classes.filter((word) => classes.test(word));
  const set = variables.filter(({ name }) => names?.test(name) === true).map(({ name }) => name);
  const isDense = fitting.length >= least && fitting.length >= document.classes.length * density;
  const sure = [
    ...(file === undefined ? [] : [`loads ${file.slice(0, 120)}`]),
    ...(set.length === 0 ? [] : [`variables ${set.slice(0, 3).join(", ")}`]),
    ...(attribute !== undefined && document.attributes[attribute] !== undefined ? [`attribute ${attribute}`] : []),
    ...(global !== undefined && document.globals.some((known) => known.name === global) ? [`window.${global}`] : []),
  ];
  // Utilities in use without their style sheet, or the other way round, are no proof.
  if (density > 0 && (!isDense || sure.length === 0)) return { evidence: [], confidence: 0 };
  const byClasses = isDense ? Math.min(0.6, 0.35 + fitting.length * 0.02) : 0;
  const evidence = isDense ? [...sure, `classes ${fitting.slice(0, 5).join(", ")}`] : sure;
  return { evidence, confidence: 1 - (1 - byClasses) * 0.35 ** sure.length };
}

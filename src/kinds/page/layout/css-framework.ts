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
}

const fingerprints: readonly Fingerprint[] = [
  {
    name: "tailwind",
    source: /tailwind/i,
    classes:
      /^(?:(?:sm|md|lg|xl|2xl|hover|focus|dark|group-hover):)*-?(?:[mp][trblxy]?-(?:\d|auto|px|\[)|text-(?:xs|sm|base|lg|\d?xl|center|[a-z]+-\d{2,3})|bg-[a-z]+-\d{2,3}|flex-(?:row|col|1)|grid-cols-|gap-\d|rounded(?:-|$)|shadow(?:-|$)|items-|justify-|space-[xy]-|w-(?:full|\d)|h-(?:full|screen|\d)|max-w-|min-h-|font-(?:bold|medium|semibold)|leading-|tracking-)/,
    least: 6,
  },
  {
    name: "bootstrap",
    source: /bootstrap/i,
    classes:
      /^(?:container-fluid|row|col-(?:xs|sm|md|lg|xl)-\d+|navbar-\w+|btn-(?:primary|secondary|outline-\w+|lg|sm)|card-(?:body|title|text)|form-control|d-(?:flex|none|block)|[mp][tbsexy]-[0-5])$/,
    least: 4,
    global: "bootstrap",
  },
  {
    name: "bulma",
    source: /bulma/i,
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
  { name: "material-ui", source: /@mui|material-ui/i, classes: /^Mui[A-Z]/, least: 2 },
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

/** Which framework wrote the classes; several files of evidence are surer than classes alone. */
export function detectFramework({ classes, sources, attributes, globals }: DocumentFacts): Layout["framework"] {
  const matches = fingerprints
    .map((fingerprint) => {
      const { name, least, attribute, global } = fingerprint;
      const source = sources.find((url) => fingerprint.source.test(url));
      const fitting = classes.filter((word) => fingerprint.classes.test(word));
      const evidence = [
        ...(source === undefined ? [] : [`loads ${source.slice(0, 120)}`]),
        ...(fitting.length >= least ? [`classes ${fitting.slice(0, 5).join(", ")}`] : []),
        ...(attribute !== undefined && attributes[attribute] !== undefined ? [`attribute ${attribute}`] : []),
        ...(global !== undefined && globals.some((known) => known.name === global) ? [`window.${global}`] : []),
      ];
      const byClasses = fitting.length >= least ? Math.min(0.6, 0.35 + fitting.length * 0.02) : 0;
      const others = evidence.length - (byClasses > 0 ? 1 : 0);
      return { name, evidence, confidence: 1 - (1 - byClasses) * 0.35 ** others };
    })
    .filter(({ evidence }) => evidence.length > 0)
    .toSorted((a, b) => b.confidence - a.confidence);
  const [first, ...rest] = matches;
  if (first === undefined)
    return {
      framework: "vanilla",
      confidence: 0.5,
      evidence: ["no class, file or global of a known framework"],
      secondary: [],
    };
  return {
    framework: first.name,
    confidence: Math.round(Math.min(0.99, first.confidence) * 100) / 100,
    evidence: first.evidence,
    secondary: rest.filter(({ confidence }) => confidence > 0.4).map(({ name }) => name),
  };
}

import { assertNever } from "../../job/error.ts";

/** A motion as somebody describes it: what changes from what to what, and how fast. */
export interface DescribedMotion {
  readonly type: "animation" | "transition" | "transform" | "scroll" | "hover" | "keyframe";
  readonly name: string;
  readonly duration: number;
  readonly delay: number;
  readonly easing: string;
  readonly iterations: number | "infinite";
  readonly direction: "normal" | "reverse" | "alternate" | "alternate-reverse";
  readonly fillMode: "none" | "forwards" | "backwards" | "both";
  readonly properties: readonly MovedProperty[];
}

export interface MovedProperty {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly keyframes?: readonly { readonly offset: number; readonly value: string }[] | undefined;
}

export const motionFormats = [
  "css",
  "css-module",
  "tailwind",
  "styled-components",
  "emotion",
  "framer-motion",
  "gsap",
] as const;
export type MotionFormat = (typeof motionFormats)[number];

export interface MotionCodeOptions {
  readonly selector: string;
  readonly includeVendorPrefixes: boolean;
  readonly includeReducedMotion: boolean;
  readonly typescript: boolean;
  readonly componentName?: string | undefined;
}

export interface MotionCode {
  readonly code: string;
  readonly hasKeyframes: boolean;
  readonly hasReducedMotion: boolean;
  readonly dependencies: readonly string[];
}

/** A motion in the words of a library, or of CSS. */
export function writeMotion(motion: DescribedMotion, format: MotionFormat, options: MotionCodeOptions): MotionCode {
  const hasKeyframes = !isTransition(motion);
  const css = { hasKeyframes, hasReducedMotion: options.includeReducedMotion, dependencies: [] };
  const name = toIdentifier(options.componentName ?? motion.name);
  switch (format) {
    case "css":
      return { ...css, code: writeCss(motion, options.selector, options) };
    case "css-module":
      return { ...css, code: writeCss(motion, `.${toCamel(motion.name)}`, options) };
    case "tailwind":
      return { ...writeTailwind(motion, options), dependencies: ["tailwindcss"] };
    case "styled-components":
      return { ...css, code: writeStyled(motion, name, options, "styled-components"), dependencies: [format] };
    case "emotion":
      return {
        ...css,
        code: writeStyled(motion, name, options, "@emotion/styled"),
        dependencies: ["@emotion/styled", "@emotion/react"],
      };
    case "framer-motion":
      return { ...writeFramer(motion, name, options), dependencies: ["framer-motion"] };
    case "gsap":
      return { ...writeGsap(motion, options), dependencies: ["gsap"] };
    default:
      return assertNever(format);
  }
}

function isTransition({ type }: DescribedMotion): boolean {
  return type === "transition" || type === "hover" || type === "transform";
}

/** The steps of an animation, in order: each an offset from 0 to 1 with what is declared there. */
function stepsOf({ properties }: DescribedMotion): [offset: number, declarations: string[]][] {
  const steps = new Map<number, string[]>();
  for (const { name, from, to, keyframes = [] } of properties) {
    const all =
      keyframes.length > 0
        ? keyframes
        : [
            { offset: 0, value: from },
            { offset: 1, value: to },
          ];
    for (const { offset, value } of all) steps.set(offset, [...(steps.get(offset) ?? []), `${name}: ${value};`]);
  }
  return [...steps].toSorted(([a], [b]) => a - b);
}

function writeKeyframes(motion: DescribedMotion, indent = ""): string {
  const steps = stepsOf(motion).map(
    ([offset, declarations]) => `${indent}  ${Math.round(offset * 10_000) / 100}% { ${declarations.join(" ")} }`,
  );
  return steps.join("\n");
}

function timing({ name, duration, easing, delay, iterations, direction, fillMode }: DescribedMotion): string {
  return `${toKebab(name)} ${duration}ms ${easing} ${delay}ms ${iterations} ${direction} ${fillMode}`;
}

function transitions({ properties, duration, easing, delay }: DescribedMotion): string {
  return properties.map(({ name }) => `${name} ${duration}ms ${easing} ${delay}ms`).join(", ");
}

const still = "@media (prefers-reduced-motion: reduce)";

function writeCss(motion: DescribedMotion, selector: string, options: MotionCodeOptions): string {
  const declare = (name: string, value: string): string =>
    `${options.includeVendorPrefixes ? `  -webkit-${name}: ${value};\n` : ""}  ${name}: ${value};\n`;
  const end = (property: "animation" | "transition"): string =>
    options.includeReducedMotion ? `\n${still} {\n  ${selector} {\n    ${property}: none;\n  }\n}\n` : "";
  if (isTransition(motion)) {
    const [from, to] = (["from", "to"] as const).map((key) =>
      motion.properties.map((property) => `  ${property.name}: ${property[key]};\n`).join(""),
    );
    return `${selector} {\n${from}${declare("transition", transitions(motion))}}\n\n${selector}:hover {\n${to}}\n${end("transition")}`;
  }
  const frames = `@keyframes ${toKebab(motion.name)} {\n${writeKeyframes(motion)}\n}\n`;
  const prefixed = options.includeVendorPrefixes ? `${frames.replace("@keyframes", "@-webkit-keyframes")}\n` : "";
  const timeline = motion.type === "scroll" ? "  animation-timeline: view();\n" : "";
  return `${prefixed}${frames}\n${selector} {\n${declare("animation", timing(motion))}${timeline}}\n${end("animation")}`;
}

function writeTailwind(
  motion: DescribedMotion,
  { includeReducedMotion }: MotionCodeOptions,
): Omit<MotionCode, "dependencies"> {
  const quiet = includeReducedMotion ? " motion-reduce:transition-none" : "";
  if (isTransition(motion)) {
    const { properties, duration, delay, easing } = motion;
    const values = (prefix: string, key: "from" | "to"): string[] =>
      properties.map((property) => `${prefix}[${property.name}:${escape(property[key])}]`);
    const classes = [
      ...values("", "from"),
      ...values("hover:", "to"),
      `transition-[${properties.map(({ name }) => name).join(",")}]`,
      `duration-[${duration}ms]`,
      `delay-[${delay}ms]`,
      `ease-[${escape(easing)}]`,
    ];
    return { code: `${classes.join(" ")}${quiet}\n`, hasKeyframes: false, hasReducedMotion: includeReducedMotion };
  }
  const steps = stepsOf(motion).map(([offset, declarations]) => {
    const fields = declarations.map((declaration) => {
      const at = declaration.indexOf(": ");
      return `${JSON.stringify(toCamel(declaration.slice(0, at)))}: ${JSON.stringify(declaration.slice(at + 2, -1))}`;
    });
    return `          "${Math.round(offset * 10_000) / 100}%": { ${fields.join(", ")} },`;
  });
  const name = toKebab(motion.name);
  const use = `animate-${name}${includeReducedMotion ? " motion-reduce:animate-none" : ""}`;
  const code = `// tailwind.config.js; use it as: ${use}
export default {
  theme: {
    extend: {
      keyframes: {
        ${JSON.stringify(name)}: {
${steps.join("\n")}
        },
      },
      animation: { ${JSON.stringify(name)}: ${JSON.stringify(timing(motion))} },
    },
  },
};
`;
  return { code, hasKeyframes: true, hasReducedMotion: includeReducedMotion };
}

function writeStyled(motion: DescribedMotion, name: string, options: MotionCodeOptions, from: string): string {
  const imports =
    from === "styled-components"
      ? 'import styled, { keyframes } from "styled-components";\n'
      : 'import styled from "@emotion/styled";\nimport { keyframes } from "@emotion/react";\n';
  const quiet = (property: string): string =>
    options.includeReducedMotion ? `  ${still} {\n    ${property}: none;\n  }\n` : "";
  if (isTransition(motion)) {
    const [before, after] = (["from", "to"] as const).map((key) =>
      motion.properties.map((property) => `${property.name}: ${property[key]};`).join(" "),
    );
    return `${imports.replace(", { keyframes }", "").replace(/import \{ keyframes.*\n/, "")}
export const ${name} = styled.div\`
  ${before}
  transition: ${transitions(motion)};
  &:hover { ${after} }
${quiet("transition")}\`;
`;
  }
  const values = timing(motion).slice(toKebab(motion.name).length);
  return `${imports}
const ${toCamel(name)}Frames = keyframes\`
${writeKeyframes(motion)}
\`;

export const ${name} = styled.div\`
  animation: \${${toCamel(name)}Frames}${values};
${quiet("animation")}\`;
`;
}

/** What framer-motion calls the parts of a transform, where a property is one. */
function framerValues(motion: DescribedMotion): string {
  return motion.properties
    .map(({ name, from, to, keyframes = [] }) => {
      const values = keyframes.length > 0 ? keyframes.map(({ value }) => value) : [from, to];
      return `${JSON.stringify(toCamel(name))}: ${JSON.stringify(values)}`;
    })
    .join(", ");
}

function framerEase(easing: string): string {
  const bezier = /^cubic-bezier\(([-\d.,\s]+)\)$/.exec(easing)?.[1];
  if (bezier !== undefined) return `[${bezier.split(",").map(Number).join(", ")}]`;
  const known: Record<string, string> = { linear: "linear", "ease-in": "easeIn", "ease-out": "easeOut" };
  return JSON.stringify(known[easing] ?? "easeInOut");
}

function writeFramer(
  motion: DescribedMotion,
  name: string,
  options: MotionCodeOptions,
): Omit<MotionCode, "dependencies"> {
  const { iterations, duration, delay, easing, direction } = motion;
  const repeat = iterations === "infinite" ? "Infinity" : String(Math.max(0, iterations - 1));
  const mirror = direction.startsWith("alternate") ? ', repeatType: "reverse"' : "";
  const when = { scroll: "whileInView", hover: "whileHover" }[motion.type as string] ?? "animate";
  const transition = `{ duration: ${duration / 1_000}, delay: ${delay / 1_000}, ease: ${framerEase(easing)}, repeat: ${repeat}${mirror} }`;
  const props = options.typescript ? "{ children }: { children?: ReactNode }" : "{ children }";
  const imported = options.includeReducedMotion ? "motion, useReducedMotion" : "motion";
  const code = `import { ${imported} } from "framer-motion";
${options.typescript ? 'import type { ReactNode } from "react";\n' : ""}
export function ${name}(${props}) {
${options.includeReducedMotion ? "  const isStill = useReducedMotion();\n" : ""}  return (
    <motion.div
      ${when}={${options.includeReducedMotion ? "isStill ? {} : " : ""}{ ${framerValues(motion)} }}
      transition={${transition}}
    >
      {children}
    </motion.div>
  );
}
`;
  return { code, hasKeyframes: !isTransition(motion), hasReducedMotion: options.includeReducedMotion };
}

function writeGsap(motion: DescribedMotion, options: MotionCodeOptions): Omit<MotionCode, "dependencies"> {
  const { properties, iterations, duration, delay, easing, direction } = motion;
  const values = (key: "from" | "to"): string =>
    properties
      .map((property) => `${JSON.stringify(toCamel(property.name))}: ${JSON.stringify(property[key])}`)
      .join(", ");
  const eases: Record<string, string> = { linear: "none", "ease-in": "power1.in", "ease-out": "power1.out" };
  const repeat = iterations === "infinite" ? -1 : Math.max(0, iterations - 1);
  const yoyo = direction.startsWith("alternate") ? ", yoyo: true" : "";
  const isScroll = motion.type === "scroll";
  const selector = JSON.stringify(options.selector);
  const trigger = isScroll ? `, scrollTrigger: { trigger: ${selector} }` : "";
  const call = `gsap.fromTo(${selector}, { ${values("from")} }, { ${values("to")}, duration: ${duration / 1_000}, delay: ${delay / 1_000}, ease: "${eases[easing] ?? "power1.inOut"}", repeat: ${repeat}${yoyo}${trigger} });`;
  const imports = isScroll
    ? 'import { gsap } from "gsap";\nimport { ScrollTrigger } from "gsap/ScrollTrigger";\n\ngsap.registerPlugin(ScrollTrigger);\n'
    : 'import { gsap } from "gsap";\n';
  const code = options.includeReducedMotion
    ? `${imports}\ngsap.matchMedia().add("(prefers-reduced-motion: no-preference)", () => {\n  ${call}\n});\n`
    : `${imports}\n${call}\n`;
  return { code, hasKeyframes: false, hasReducedMotion: options.includeReducedMotion };
}

function toKebab(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return /^[a-z]/.test(words) ? words : `motion-${words}`;
}

function toCamel(name: string): string {
  return toKebab(name).replace(/-([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

function toIdentifier(name: string): string {
  const camel = toCamel(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

function escape(value: string): string {
  return value.replace(/_/g, "\\_").replace(/\s+/g, "_");
}

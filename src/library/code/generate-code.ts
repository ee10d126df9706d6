import { assertNever } from "../../job/error.ts";
import type { Declarations, SectionSource, SourceElement } from "../../kinds/page/contract.ts";
import { writeCss, type Step } from "./css.ts";
import { writeMarkup, type Dialect } from "./markup.ts";
import { tailwindClasses } from "./tailwind.ts";

export const frameworks = ["react", "vue", "html"] as const;
export type Framework = (typeof frameworks)[number];

export interface CodeOptions {
  readonly framework: Framework;
  readonly typescript: boolean;
  /** Utility classes in place of a style sheet. */
  readonly tailwind: boolean;
  /** In PascalCase. */
  readonly componentName: string;
  /** Also how it looks in the narrower windows of the analysis. */
  readonly responsive: boolean;
}

export interface GeneratedCode {
  readonly code: string;
  readonly filename: string;
  readonly dependencies: readonly string[];
}

/** A section as code that stands alone: its elements, and what they look like. */
export function generateCode(source: SectionSource, options: CodeOptions): GeneratedCode {
  const { framework, typescript, tailwind, componentName: name } = options;
  const used = new Set(stylesIn(source.root));
  const rules = source.styles.map((style, number) => ({
    className: `${toKebab(name)}-${number}`,
    base: used.has(number) ? style.base : {},
    narrower: options.responsive && used.has(number) ? toSteps(style.narrower, source.widths) : [],
  }));
  const classesOf = ({ style }: SourceElement): string => {
    const rule = rules[style];
    if (rule === undefined) return "";
    if (tailwind) return tailwindClasses(rule);
    return Object.keys(rule.base).length + rule.narrower.length > 0 ? rule.className : "";
  };
  const css = tailwind ? "" : writeCss(rules);
  const markup = (dialect: Dialect, depth: number): string => writeMarkup(source.root, { dialect, classesOf, depth });
  const styling = tailwind ? ["tailwindcss"] : [];
  switch (framework) {
    case "react":
      return {
        code: writeReact(name, markup("jsx", 3), css, typescript),
        filename: `${name}.${typescript ? "tsx" : "jsx"}`,
        dependencies: ["react", ...styling],
      };
    case "vue":
      return {
        code: writeVue(name, markup("vue", 1), css, typescript),
        filename: `${name}.vue`,
        dependencies: ["vue", ...styling],
      };
    case "html":
      return {
        code: writeHtml(name, markup("html", 2), css),
        filename: `${toKebab(name)}.html`,
        dependencies: styling,
      };
    default:
      return assertNever(framework);
  }
}

function toSteps(narrower: readonly Declarations[], widths: readonly number[]): Step[] {
  return narrower.flatMap((declarations, nth) => {
    const width = widths[nth];
    return width === undefined || Object.keys(declarations).length === 0 ? [] : [{ width, declarations }];
  });
}

function stylesIn({ style, children }: SourceElement): number[] {
  return [style, ...children.flatMap((child) => (typeof child === "string" ? [] : stylesIn(child)))];
}

function writeReact(name: string, markup: string, css: string, typescript: boolean): string {
  const type = typescript ? 'import type { ReactElement } from "react";\n\n' : "";
  const returns = typescript ? ": ReactElement" : "";
  if (css === "") {
    return `${type}export default function ${name}()${returns} {\n  return (\n${markup.replace(/^ {2}/gm, "")}  );\n}\n`;
  }
  const escaped = css.replace(/[`\\]|\$\{/g, "\\$&");
  return `${type}const styles = \`\n${escaped}\`;\n
export default function ${name}()${returns} {
  return (
    <>
      <style>{styles}</style>
${markup}    </>
  );
}
`;
}

function writeVue(name: string, markup: string, css: string, typescript: boolean): string {
  const script = `<script setup${typescript ? ' lang="ts"' : ""}>\ndefineOptions({ name: "${name}" });\n</script>\n`;
  const style = css === "" ? "" : `\n<style scoped>\n${css}</style>\n`;
  return `${script}\n<template>\n${markup}</template>\n${style}`;
}

function writeHtml(name: string, markup: string, css: string): string {
  const style = css === "" ? "" : `    <style>\n${css.replace(/^(?=.)/gm, "      ")}    </style>\n`;
  return `<!doctype html>
<html>
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${name}</title>
${style}  </head>
  <body>
${markup}  </body>
</html>
`;
}

function toKebab(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
}

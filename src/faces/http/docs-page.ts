import { createHash } from "node:crypto";
import type { Described, OpenApi } from "./openapi.ts";

const style = `
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5b6575; --line: #dfe3ea; --back: #fbfbfd; --card: #fff; --mark: #0b6bcb; --get: #0a7d4b; --post: #9a4b00 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #9aa4b5; --line: #2c3442; --back: #12161d; --card: #191f29; --mark: #6db3f8; --get: #58c896; --post: #f0a868 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 6rem; background: var(--back); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.9rem } h2 { margin: 2.5rem 0 .75rem; font-size: 1.15rem; text-transform: capitalize }
p { margin: .4rem 0 } a { color: var(--mark) } .soft { color: var(--soft) }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: .5rem; background: var(--card) }
summary { display: flex; flex-wrap: wrap; gap: .25rem .9rem; align-items: baseline; padding: .6rem .9rem; cursor: pointer }
summary:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; border-radius: .5rem }
.method { min-width: 3.2rem; font-weight: 700 } .get { color: var(--get) } .post, .delete { color: var(--post) }
.about { flex: 1 1 18rem; color: var(--soft) } .inside { padding: 0 .9rem .9rem; overflow-x: auto }
code, pre { font: 13px/1.5 ui-monospace, monospace } pre { overflow: auto; max-height: 26rem; padding: .75rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--back) }
table { border-collapse: collapse; width: 100% } th, td { padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
h3 { margin: 1rem 0 .3rem; font-size: .95rem }
`;

/** Nothing may be loaded, and nothing runs; only this page's own style applies. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The OpenAPI document as a page to read, complete in itself. */
export function renderDocs({ info, paths, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ method, path, described })),
  );
  const tags = [...new Set(operations.flatMap(({ described }) => described.tags))];
  const sections = tags.map((tag) => {
    const members = operations.filter(({ described }) => described.tags.includes(tag));
    return `<section><h2>${escape(tag)}</h2>${members.map(({ method, path, described }) => renderOperation(method, path, described)).join("")}</section>`;
  });
  const schemas = Object.entries(components["schemas"] ?? {}).map(
    ([name, schema]) =>
      `<details><summary><code>${escape(name)}</code></summary><div class="inside">${renderJson(schema)}</div></details>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(info.title)} HTTP interface</title><style>${style}</style></head>
<body><header><h1>${escape(info.title)}</h1><p class="soft">Version ${escape(info.version)} · <a href="/openapi.json">openapi.json</a></p>
<p>${escape(info.description)}</p><p>Send a token with every request: <code>Authorization: Bearer …</code></p></header>
<main>${sections.join("\n")}<section><h2>Schemas</h2>${schemas.join("")}</section></main></body></html>
`;
}

function renderOperation(method: string, path: string, described: Described): string {
  const { summary, description, parameters, requestBody, responses } = described;
  const rows = parameters.map(
    ({ name, in: place, required, description: about = "", schema }) =>
      `<tr><td><code>${escape(name)}</code>${required ? " *" : ""}</td><td>${place}</td><td><code>${escape(typeOf(schema))}</code></td><td>${escape(about)}</td></tr>`,
  );
  const table =
    rows.length === 0
      ? ""
      : `<h3>Parameters</h3><table><thead><tr><th>Name</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
  const body =
    requestBody === undefined ? "" : `<h3>Body</h3>${renderJson(requestBody.content["application/json"]?.schema)}`;
  const replies = Object.entries(responses)
    .filter(([, { content }]) => content !== undefined)
    .map(
      ([status, { content = {} }]) =>
        `<h3>${escape(status)} <span class="soft">${escape(Object.keys(content).join(", "))}</span></h3>${renderJson(Object.values(content)[0]?.schema)}`,
    );
  return `<details id="${escape(described.operationId)}"><summary><span class="method ${method}">${method.toUpperCase()}</span><code>${escape(path)}</code><span class="about">${escape(summary)}</span></summary>
<div class="inside"><p>${escape(description)}</p>${table}${body}${replies.join("")}</div></details>`;
}

function typeOf({ type, anyOf, enum: choices }: { type?: unknown; anyOf?: unknown; enum?: unknown }): string {
  if (Array.isArray(choices)) return choices.join(" | ");
  if (Array.isArray(anyOf)) return anyOf.map((choice: object) => typeOf(choice)).join(" | ");
  return typeof type === "string" ? type : "any";
}

function renderJson(value: unknown): string {
  return `<pre tabindex="0">${escape(JSON.stringify(value, null, 2) ?? "")}</pre>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

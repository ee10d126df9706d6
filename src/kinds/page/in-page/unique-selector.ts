/// <reference lib="dom" />

/** A selector whose first match is this element; empty where it would take more than 300 characters. */
export function uniqueSelector(element: Element): string {
  const steps: string[] = [];
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    if (/^[A-Za-z][\w-]{0,60}$/.test(at.id) && document.getElementById(at.id) === at) {
      steps.unshift(`#${at.id}`);
      break;
    }
    const name = at.localName;
    const twins = [...(at.parentElement?.children ?? [])].filter(({ localName }) => localName === name);
    steps.unshift(`${CSS.escape(name)}${twins.length > 1 ? `:nth-of-type(${twins.indexOf(at) + 1})` : ""}`);
    if (steps.length > 100) return "";
  }
  // All elements are in the document's.
  const selector = (steps[0] === "html" && steps.length > 1 ? steps.slice(1) : steps).join(" > ");
  return selector.length > 300 ? "" : selector;
}

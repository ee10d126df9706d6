/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** An element that was looked at, with what looking at it cost time to find out. */
export interface Seen {
  readonly element: Element;
  readonly style: CSSStyleDeclaration;
  readonly rect: DOMRect;
  readonly isVisible: boolean;
}

/** What the collectors share. Made in the page. */
export interface Kit {
  readonly seen: readonly Seen[];
  readonly total: number;
  readonly look: (element: Element) => Seen;
  readonly selectorOf: (element: Element) => string;
  /** `#rrggbb`, or `#rrggbbaa` where it lets something through; empty for what cannot be seen. */
  readonly hex: (color: string) => string;
  readonly textOf: (element: Element, most: number) => string;
}

/** This function and the collectors are sent to the page as text: each stands for itself and sees nothing but its arguments. */
export function createKit(mostElements: number): Kit {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colors = new Map<string, string>();
  const known = new Map<Element, Seen>();

  const look = (element: Element): Seen => {
    const before = known.get(element);
    if (before !== undefined) return before;
    const style = getComputedStyle(element);
    const rect = element.getBoundingClientRect();
    const isShown = style.display !== "none" && style.visibility === "visible" && Number(style.opacity) > 0;
    const found = { element, style, rect, isVisible: isShown && rect.width > 0 && rect.height > 0 };
    known.set(element, found);
    return found;
  };
  const parts = (color: string): readonly number[] => {
    const plain = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(color);
    if (plain !== null)
      return [plain[1], plain[2], plain[3]]
        .map(Number)
        .concat(plain[4] === undefined ? 255 : Math.round(Number(plain[4]) * 255));
    if (canvas === null) return [0, 0, 0, 0];
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = "rgba(0, 0, 0, 0)";
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const hex = (color: string): string => {
    const before = colors.get(color);
    if (before !== undefined) return before;
    const [red = 0, green = 0, blue = 0, alpha = 0] = parts(color);
    const digits = (alpha === 255 ? [red, green, blue] : [red, green, blue, alpha])
      .map((value) => value.toString(16).padStart(2, "0"))
      .join("");
    const text = alpha === 0 ? "" : `#${digits}`;
    colors.set(color, text);
    return text;
  };
  const step = (element: Element): string => {
    const tag = element.localName;
    const [first] = element.classList;
    if (first !== undefined && first.length < 40 && /^[\w-]+$/.test(first)) {
      const twins = [...(element.parentElement?.children ?? [])].filter((sibling) => sibling.classList.contains(first));
      return twins.length < 2 ? `${tag}.${first}` : `${tag}.${first}:nth-child(${place(element)})`;
    }
    const same = [...(element.parentElement?.children ?? [])].filter((sibling) => sibling.localName === tag);
    return same.length < 2 ? tag : `${tag}:nth-of-type(${same.indexOf(element) + 1})`;
  };
  const place = (element: Element): number => [...(element.parentElement?.children ?? [])].indexOf(element) + 1;
  const selectorOf = (element: Element): string => {
    const steps: string[] = [];
    for (
      let at: Element | null = element;
      at !== null && at !== document.documentElement && steps.length < 4;
      at = at.parentElement
    ) {
      if (/^[A-Za-z][\w-]{0,60}$/.test(at.id)) {
        steps.unshift(`#${at.id}`);
        break;
      }
      steps.unshift(step(at));
    }
    return steps.join(" > ");
  };
  const textOf = (element: Element, most: number): string =>
    (element.textContent ?? "")
      .slice(0, most * 4)
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, most);

  const all = document.body === null ? [] : document.body.getElementsByTagName("*");
  const seen: Seen[] = [];
  for (let index = 0; index < all.length && seen.length < mostElements; index++) {
    const element = all[index];
    if (element !== undefined && !/^(script|style|template|noscript|br|wbr|source|path|g)$/.test(element.localName))
      seen.push(look(element));
  }
  return { seen, total: document.getElementsByTagName("*").length, look, selectorOf, hex, textOf };
}

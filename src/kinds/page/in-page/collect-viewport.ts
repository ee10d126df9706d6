/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** The page at one size of the window. */
export interface ViewportFacts {
  readonly width: number;
  readonly pageWidth: number;
  readonly pageHeight: number;
  readonly overflowing: readonly { readonly selector: string; readonly by: number }[];
  readonly smallTargets: readonly {
    readonly selector: string;
    readonly width: number;
    readonly height: number;
    readonly text: string;
  }[];
  readonly targets: number;
  /** By path, so that the same element is found again at another size. */
  readonly elements: Readonly<Record<string, ElementAtSize>>;
  readonly navigation: { readonly style: string; readonly visibleLinks: number; readonly hasToggle: boolean };
  readonly bodySize: number;
  readonly headingSize: number;
  readonly smallestText: number;
}

export interface ElementAtSize {
  readonly label: string;
  readonly isVisible: boolean;
  readonly columns: number;
  readonly direction: string;
  readonly size: number;
  readonly order: number;
}

export function collectViewport(mostElements: number): ViewportFacts {
  const root = document.documentElement;
  const width = root.clientWidth;
  const all = [...(document.body?.getElementsByTagName("*") ?? [])].slice(0, mostElements);
  const isShown = (element: Element): boolean =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.getBoundingClientRect().width > 0;
  const nameOf = (element: Element): string => {
    if (/^[A-Za-z][\w-]{0,60}$/.test(element.id)) return `#${element.id}`;
    const [first] = element.classList;
    return first !== undefined && /^[\w-]{1,40}$/.test(first) ? `${element.localName}.${first}` : element.localName;
  };
  const pathOf = (element: Element): string => {
    const steps: number[] = [];
    for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement)
      steps.unshift([...(at.parentElement?.children ?? [])].indexOf(at));
    return steps.join("/");
  };
  const clipsOverflow = (element: Element): boolean => {
    for (let at = element.parentElement; at !== null && at !== document.body; at = at.parentElement)
      if (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  const columnsOf = (element: Element, style: CSSStyleDeclaration): number => {
    if (style.display.endsWith("grid")) return style.gridTemplateColumns.split(/\s+(?![^(]*\))/).length;
    if (!style.display.endsWith("flex")) return 0;
    const rows = new Map<number, number>();
    for (const child of [...element.children].filter(isShown)) {
      const row = Math.round(child.getBoundingClientRect().top / 8);
      rows.set(row, (rows.get(row) ?? 0) + 1);
    }
    return Math.max(0, ...rows.values());
  };
  const elements: Record<string, ElementAtSize> = {};
  const overflowing: { selector: string; by: number }[] = [];
  const smallTargets: { selector: string; width: number; height: number; text: string }[] = [];
  let targets = 0;
  let smallestText = Infinity;
  let order = 0;
  const pageWidth = Math.max(root.scrollWidth, document.body?.scrollWidth ?? 0);
  for (const element of all) {
    const style = getComputedStyle(element);
    const rect = element.getBoundingClientRect();
    const isVisible = isShown(element);
    const size = Number.parseFloat(style.fontSize);
    const isContainer = /grid|flex/.test(style.display) && element.children.length > 1;
    if (
      /^(header|nav|main|section|article|aside|footer|h1|h2|h3|img|form|button|ul|table|video)$/.test(
        element.localName,
      ) ||
      isContainer ||
      element.id !== ""
    ) {
      elements[pathOf(element)] = {
        label: nameOf(element),
        isVisible,
        columns: isVisible ? columnsOf(element, style) : 0,
        direction: style.display.endsWith("flex") ? style.flexDirection : "",
        size: /^h[1-6]$/.test(element.localName) ? size : 0,
        order: order++,
      };
    }
    if (!isVisible) continue;
    if (
      pageWidth > width + 1 &&
      rect.right > width + 1 &&
      rect.left < pageWidth &&
      overflowing.length < 20 &&
      !clipsOverflow(element)
    )
      overflowing.push({ selector: nameOf(element), by: Math.round(rect.right - width) });
    if ([...element.childNodes].some((node) => node.nodeType === 3 && (node.textContent ?? "").trim() !== ""))
      smallestText = Math.min(smallestText, size);
    if (element.matches("a[href], button, input:not([type=hidden]), select, textarea, [role=button], summary")) {
      targets += 1;
      // A link within a sentence is as high as its line, and excepted.
      const isInText =
        element.localName === "a" &&
        style.display === "inline" &&
        (element.parentElement?.textContent ?? "").trim().length > (element.textContent ?? "").trim().length + 10;
      if (!isInText && (rect.width < 24 || rect.height < 24) && smallTargets.length < 100)
        smallTargets.push({
          selector: nameOf(element),
          width: Math.round(rect.width),
          height: Math.round(rect.height),
          text: (element.textContent ?? "").trim().slice(0, 50),
        });
    }
  }
  const nav = document.querySelector("nav, [role=navigation], header");
  const links = [...(nav?.querySelectorAll("a[href]") ?? [])].filter(isShown);
  const toggle = [
    ...document.querySelectorAll(
      'button[aria-expanded], button[aria-controls], [class*="hamburger" i], [class*="menu-toggle" i], [class*="navbar-toggler" i], [class*="nav-toggle" i], [aria-label*="menu" i]',
    ),
  ].find(isShown);
  const navRect = nav?.getBoundingClientRect();
  const tops = new Set(links.map((link) => Math.round(link.getBoundingClientRect().top / 8)));
  const isFixedBelow =
    nav !== null && getComputedStyle(nav).position === "fixed" && (navRect?.top ?? 0) > innerHeight / 2;
  const style =
    nav === null
      ? "none"
      : isFixedBelow
        ? "bottom"
        : toggle !== undefined && links.length < 3
          ? "hamburger"
          : links.length === 0
            ? "hidden"
            : tops.size <= 2
              ? "horizontal"
              : "vertical";
  const sizeOf = (selector: string): number =>
    Number.parseFloat(getComputedStyle(document.querySelector(selector) ?? root).fontSize);
  return {
    width,
    pageWidth,
    pageHeight: root.scrollHeight,
    overflowing,
    smallTargets,
    targets,
    elements,
    navigation: { style, visibleLinks: links.length, hasToggle: toggle !== undefined },
    bodySize: sizeOf("p"),
    headingSize: sizeOf("h1"),
    smallestText: Number.isFinite(smallestText) ? smallestText : 0,
  };
}

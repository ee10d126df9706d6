import { computed, signal } from "@preact/signals";

const address = signal(new URL(location.href));

addEventListener("popstate", () => {
  address.value = new URL(location.href);
});

/** The parts of the path, decoded: `/jobs/x%2Fy` is ["jobs", "x/y"]. */
export const path = computed(() =>
  address.value.pathname
    .split("/")
    .filter((part) => part !== "")
    .map((part) => decodePart(part)),
);
export const query = computed(() => address.value.searchParams);
export const fragment = computed(() => address.value.hash.slice(1));

export function go(to: string, { isReplaced = false } = {}): void {
  const next = new URL(to, location.href);
  if (next.href === location.href) return;
  if (isReplaced) history.replaceState(null, "", next);
  else history.pushState(null, "", next);
  address.value = next;
}

/** Changes words of the query and keeps the rest of the address, so that it can be shared. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const next = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  }
  go(next.href, { isReplaced: true });
}

/** Has links of the app handled by it; new tabs and other addresses are the browser's. */
export function followLinks(root: HTMLElement): void {
  root.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (link === null || !isPlain || event.defaultPrevented) return;
    if (link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (/^\/(docs|openapi\.json)$/.test(link.pathname)) return;
    event.preventDefault();
    go(link.href);
  });
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

import { computed, signal } from "@preact/signals";

const isSeen = signal(!document.hidden);
const awaySince = signal<number | undefined>(undefined);

document.addEventListener("visibilitychange", () => {
  isSeen.value = !document.hidden;
});

/** Rises when jobs have changed: who shows a sum of them looks again. */
export const changes = signal(0);

/** The way to the server, for all that is live on the page. */
export const connection = {
  /** Nobody looks at a hidden tab: it holds no stream, and catches up when it is seen again. */
  isWanted: computed(() => isSeen.value),
  /** Since when the server is away. */
  awaySince,
};

import { effect, signal } from "@preact/signals";

const key = "longhaul.theme";
const kept = localStorage.getItem(key);
const isDark = matchMedia("(prefers-color-scheme: dark)").matches;

/** As the system has it, until somebody chooses. */
export const theme = signal<"light" | "dark">(kept === "light" || kept === "dark" ? kept : isDark ? "dark" : "light");

effect(() => {
  document.documentElement.style.colorScheme = theme.value;
});

export function turnTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(key, theme.value);
}

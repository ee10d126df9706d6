import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { findPostgres } from "./postgres/server.ts";

/** Programs beyond Node that some suites drive for real, and the Debian packages that bring them. */
const programs: Readonly<Record<string, string>> = {
  fish: "fish",
  zsh: "zsh",
  python3: "python3",
  chromium: "chromium",
  bwrap: "bubblewrap",
  tmux: "tmux",
  vim: "vim",
  less: "less",
  postgres: "postgresql",
  nginx: "nginx-light",
  "systemd-analyze": "systemd",
  openssl: "openssl",
};

/**
 * Installs what is missing where that is allowed (root on Debian). What is still missing is named at the end, because
 * the suites that need it were skipped; in CI that is a failure.
 */
export function setup(): () => void {
  const packages = Object.entries(programs).filter(([name]) => !isInstalled(name));
  if (packages.length > 0 && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    const names = packages.map(([, name]) => name);
    console.log(`Installing what some tests need: ${names.join(", ")}`);
    const options = { stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } } as const;
    spawnSync("apt-get", ["update", "-qq"], options);
    spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...names], options);
  }
  const missing = Object.keys(programs).filter((name) => !isInstalled(name));
  if (missing.length > 0 && process.env["CI"] === "true") throw new Error(`Tests need ${missing.join(", ")}.`);
  return () => {
    if (missing.length > 0) console.log(`Skipped the suites that need ${missing.join(", ")}, which are not installed.`);
  };
}

function isInstalled(name: string): boolean {
  if (name === "postgres") return findPostgres() !== undefined;
  return spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;
}

import { findSimilar } from "../../../job/similar.ts";

/** What other programs call it, and what it is called here. */
const synonyms: Readonly<Record<string, string>> = {
  abort: "cancel",
  again: "rerun",
  ai: "agent",
  cat: "logs",
  clean: "prune",
  clone: "rerun",
  cron: "schedule",
  daemon: "serve",
  delete: "rm",
  del: "rm",
  describe: "show",
  down: "server stop",
  end: "cancel",
  exec: "run",
  follow: "tail",
  get: "show",
  health: "doctor",
  history: "ps -a",
  htop: "top",
  info: "status",
  install: "add",
  jobs: "ps",
  journal: "logs",
  less: "logs",
  log: "logs",
  ls: "ps",
  ping: "status",
  output: "logs",
  queue: "ps",
  redo: "rerun",
  reply: "answer",
  results: "show",
  scrape: "crawl",
  setup: "add",
  shutdown: "server stop",
  spawn: "run",
  spider: "crawl",
  submit: "run",
  terminate: "cancel",
  uninstall: "remove",
  up: "serve",
  write: "send",
};

const shortestBeginning = 3;

/** The command that somebody may have meant by a word that is none: by its meaning, then by its beginning, then by its letters. */
export function findSimilarCommand(word: string, names: readonly string[]): string | undefined {
  const meant = synonyms[word.toLowerCase()];
  const [command] = meant?.split(" ") ?? [];
  if (command !== undefined && names.includes(command)) return meant;
  const begun = word.length < shortestBeginning ? [] : names.filter((name) => name.startsWith(word.toLowerCase()));
  return begun.length === 1 ? begun[0] : findSimilar(word.toLowerCase(), names);
}

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Programs that stand for those of the system, in a folder for the PATH; what they are told is in a file. */
export interface FakeManager {
  /** The home of a user, for their files. */
  readonly home: string;
  readonly searchPath: string;
  /** What it was told, a line each. */
  readonly calls: () => string[];
  /** Makes calls with these words fail. */
  readonly refuse: (words: string) => void;
}

/**
 * systemctl knows enabled and active units by files; to restart one it really starts what the unit says, and to stop it ends that
 * process alone, as KillMode=process has it.
 */
const systemctl = `
case "$2" in
  enable) mkdir -p "$wants" && ln -sf "$unit" "$wants/longhaul.service" && touch "$fake/enabled" ;;
  restart)
    [ ! -e "$fake/pid" ] || kill "$(cat "$fake/pid")"
    variables=$(sed -n 's/^Environment=//p' "$unit" | tr '\\n' ' ')
    eval "exec env $variables $(sed -n 's/^ExecStart=//p' "$unit")" >/dev/null 2>&1 </dev/null &
    echo $! > "$fake/pid" ;;
  disable) rm -f "$wants/longhaul.service" "$fake/enabled"; [ ! -e "$fake/pid" ] || kill "$(cat "$fake/pid")"; rm -f "$fake/pid" ;;
  show)
    [ -e "$fake/pid" ] && echo ActiveState=active || echo ActiveState=inactive
    [ -e "$fake/enabled" ] && echo UnitFileState=enabled || echo UnitFileState=disabled ;;
esac
`;

const loginctl = `echo Linger=no`;

/** launchctl knows a service from bootstrap to bootout, and a disabled one cannot be started. */
const launchctl = `
case "$1 $2" in
  "print gui/"*/*) [ -e "$fake/loaded" ] || exit 113; echo "state = running" ;;
  "bootstrap "*) [ ! -e "$fake/loaded" ] || exit 5; cp "$3" "$fake/loaded" ;;
  "bootout "*) [ -e "$fake/loaded" ] || exit 3; rm "$fake/loaded" ;;
esac
`;

export function makeFakeManager(): FakeManager {
  const home = mkdtempSync(join(tmpdir(), "longhaul-user-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, "fake");
  mkdirSync(folder);
  const log = join(folder, "log");
  const refused = join(folder, "refused");
  const head = `#!/bin/sh
fake='${folder}'; unit='${home}/.config/systemd/user/longhaul.service'; wants='${home}/.config/systemd/user/default.target.wants'
echo "\${0##*/} $*" >> '${log}'
if [ -e '${refused}' ]; then case "$*" in *"$(cat '${refused}')"*) echo "it is the test's wish" >&2; exit 1 ;; esac; fi`;
  for (const [name, script] of Object.entries({ systemctl, loginctl, launchctl })) {
    writeFileSync(join(folder, name), `${head}\n${script}`);
    chmodSync(join(folder, name), 0o755);
  }
  return {
    home,
    searchPath: `${folder}:${process.env["PATH"] ?? ""}`,
    calls: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []),
    refuse: (words) => writeFileSync(refused, words),
  };
}

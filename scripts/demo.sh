#!/usr/bin/env bash
# Shows in about a minute, on a folder of its own that is gone afterwards, that jobs outlive their server.
# DEMO_PAUSE sets the seconds between the steps (2).
set -euo pipefail
cd "$(dirname "$0")/.."

unset LONGHAUL_CONFIG LONGHAUL_HOST LONGHAUL_JOB_ID
LONGHAUL_HOME=$(mktemp -d "${TMPDIR:-/tmp}/longhaul-demo.XXXXXX")
export LONGHAUL_HOME LONGHAUL_PORT=0
program=$PWD/dist/server/main.js
pause=${DEMO_PAUSE:-2}
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; else bold='' dim='' plain=''; fi

longhaul() { node "$program" "$@"; }
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; sleep "$pause"; }
# Prints a command as if it were typed, and runs it. An exit code other than 0 is shown, not obeyed.
try() {
  printf '%s$ longhaul' "$dim"
  local word
  for word in "$@"; do if [[ $word == *[[:space:]\"\$]* ]]; then printf " '%s'" "$word"; else printf ' %s' "$word"; fi; done
  printf '%s\n' "$plain"
  local code=0
  longhaul "$@" || code=$?
  if ((code != 0)); then printf '%s(exit code %d)%s\n' "$dim" "$code" "$plain"; fi
  sleep "$pause"
}
server_pid() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).pid' "$LONGHAUL_HOME/server.json"; }
job_pid() { longhaul show "$1" --json | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).live.pid'; }
clean_up() {
  longhaul cancel --all-matching --state active >/dev/null 2>&1 || true
  longhaul wait count build greet --timeout 15s >/dev/null 2>&1 || true
  longhaul server stop >/dev/null 2>&1 || true
  rm -rf "$LONGHAUL_HOME"
}
trap clean_up EXIT

say "1. Three jobs. There is no server yet: the first command starts one in the background."
try run --detach --name count -- 'for i in $(seq 1 40); do echo "count $i"; sleep 1; done; exit 7'
try run --detach --name build -- 'for p in $(seq 0 5 100); do echo "[$p%] compiling part $((p / 5))"; sleep 1.6; done; echo done'
try run --detach --name greet -- 'printf "Your name? "; read name; echo "Hello, $name!"'

say "2. What they do."
try ps
try logs build --tail 2
try show greet

say "3. The server is killed in the middle of all this: kill -9."
commands=$(for name in count build greet; do job_pid "$name"; done | paste -sd, -)
pid=$(server_pid)
kill -9 "$pid"
printf 'Process %s is gone. The three commands are not:\n' "$pid"
ps -o pid,etime,comm -p "$commands"
sleep "$pause"
try server status

say "4. The next command brings a server back. It adopts the jobs: same ids, same attempts, nothing lost."
try ps
try send greet Ada
try wait greet
try logs greet

say "5. Following one of them live, until it ends."
try logs --follow --tail 3 build

say "6. The other one still counts. wait exits with its true exit code, 7."
try wait count
lines=$(longhaul logs count | wc -l)
printf '%s lines of output, from "%s" to "%s": none is missing.\n' "$((lines))" "$(longhaul logs count | head -n 1)" "$(longhaul logs count --tail 1)"
sleep "$pause"

say "7. What happened to it."
try events count
say "That was Longhaul. Everything this demo made is removed now."

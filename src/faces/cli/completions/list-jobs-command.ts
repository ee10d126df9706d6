/** A shell command that prints the short ids and the names of the jobs that \`ps\` shows; it starts no server. */
export const listJobsCommand = String.raw`longhaul ps --json --no-start 2>/dev/null | sed -n -e 's/^      "id": ".*\(........\)",*$/\1/p' -e 's/^      "name": "\(.*\)",*$/\1/p'`;

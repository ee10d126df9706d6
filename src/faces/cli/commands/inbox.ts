import type { JobView } from "../../../operations/job-view.ts";
import { escapeControls } from "../../../text/controls.ts";
import { countText } from "../../../text/count-text.ts";
import { defineCommand } from "../command.ts";
import { readWhole } from "../options/option-values.ts";
import { formatAgo } from "../show/duration.ts";
import { outcomeText, shortId } from "../show/job-text.ts";
import { formatTable, type Column } from "../show/output-table.ts";
import type { Screen } from "../show/screen.ts";

interface InboxOptions {
  readonly clear?: true;
  readonly limit?: number;
  readonly cursor?: string;
}

const defaultLimit = 20;

export const inbox = defineCommand<InboxOptions>({
  describe: (command) => {
    command
      .option("--clear", "take all finished jobs for seen; questions stay until they are answered")
      .option("--limit <count>", `maximum number of finished jobs to show (${defaultLimit})`, readWhole(1, 1_000))
      .option("--cursor <cursor>", "continue where the previous list ended")
      .addHelpText("after", "\nA finished job leaves the inbox when you look at it with show, logs, wait or run.");
  },
  run: async ({ client, screen }, { clear, limit = defaultLimit, cursor, json }) => {
    if (clear === true) {
      const answer = await client.call("job_seen", { all: true });
      if (json === true) screen.printJson(answer);
      else screen.print(`Cleared ${countText(answer.count, "finished job")}.`);
      return;
    }
    const answer = await client.call("inbox_list", { limit, cursor });
    if (json === true) return screen.printJson(answer);
    const { waiting, finished } = answer;
    for (const job of waiting) tellQuestions(job, screen);
    if (finished.length > 0) screen.print(formatEnds(finished, screen));
    if (answer.cursor !== undefined) screen.note(`More: add --cursor ${answer.cursor}`);
    if (waiting.length + finished.length === 0 && cursor === undefined) {
      screen.note("All caught up: no job asks anything, and none has ended that you have not looked at.");
    } else if (finished.length > 0 && screen.terminal.err.isTerminal) {
      screen.note(screen.noteStyle.dim("Look at one: longhaul show ID   Clear them all: longhaul inbox --clear"));
    }
  },
});

/** Each question with the command that answers it. */
function tellQuestions(job: JobView, { print, style }: Screen): void {
  const questions = job.questions ?? [];
  for (const { key, message, form } of questions) {
    const fields = Object.keys(form?.properties ?? {}).map((field) => `${field}=…`);
    const words = ["longhaul answer", shortId(job.id), ...(questions.length > 1 ? [key] : []), ...fields];
    print(`${style.yellow("?")} ${nameOf(job)} asks: ${escapeControls(message)}`);
    print(`  ${style.dim(escapeControls(words.join(" ")))}   ${style.dim("or with --decline")}`);
  }
}

function formatEnds(jobs: readonly JobView[], { style, terminal }: Screen): string {
  const now = Date.now();
  const columns: readonly Column<JobView>[] = [
    { title: "", text: markOf, paint: ({ state }, text) => style.state(state, text) },
    { title: "ID", text: ({ id }) => shortId(id), paint: (_job, text) => style.bold(text) },
    { title: "ENDED", text: ({ finished_at: at }) => formatAgo(now - Date.parse(at ?? "")) },
    { title: "JOB", text: nameOf },
    { title: "OUTCOME", text: outcomeText },
  ];
  return formatTable(jobs, columns, { width: terminal.columns(), paintTitle: style.dim });
}

function markOf({ state }: JobView): string {
  return state === "succeeded" ? "✓" : "✗";
}

function nameOf({ name, summary, kind }: JobView): string {
  return escapeControls((name ?? summary ?? kind).split("\n")[0] ?? "");
}

import { once } from "node:events";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { stripControls } from "../../../text/controls.ts";
import { commandTable } from "../command-table.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import { demandTerminal, showFullScreen, type FullScreenControl, type Key } from "../show/full-screen.ts";
import { totalsText } from "../show/job-table.ts";
import { isFinished, jobLabel } from "../show/job-text.ts";
import { matchesFilter, renderTop, type TopState } from "../show/top-screen.ts";
import { fieldNames, toAnswer, type Asked } from "./job.ts";
import { logs } from "./logs.ts";
import { listJobs } from "./ps.ts";

const outputLines = 200;
const outputBytes = 64_000;

export const top = defineCommand<object>({
  run: async (cli) => {
    demandTerminal(cli.screen, "top", "longhaul ps");
    const view = new TopView(cli);
    for (;;) {
      await showFullScreen(view);
      const opened = view.takeOpened();
      if (opened === undefined) return;
      await open(cli, opened);
    }
  },
});

/** Attaches to a job where that can be done, else follows its output; a key leads back. */
async function open(cli: CliContext, job: JobView): Promise<void> {
  const attach = isFinished(job) ? undefined : await commandTable.find(({ name }) => name === "attach")?.load?.();
  try {
    if (attach === undefined) await logs.run(cli, { follow: true, tail: outputLines }, [[job.id]]);
    else await attach.run(cli, {}, [job.id]);
  } catch (error) {
    if (!(error instanceof LonghaulError)) throw error;
    cli.screen.note(messageOf(error));
  }
  cli.screen.note(cli.screen.noteStyle.dim(`\n${jobLabel(job)}: a key leads back to top`));
  const { stdin } = process;
  // Whoever read lines before may have let go of it.
  stdin.setRawMode(true).resume().ref();
  await once(stdin, "data");
  stdin.setRawMode(false).pause();
}

interface Prompt {
  readonly label: string;
  readonly text: string;
  /** Called with every change where it counts at once. */
  readonly onChange?: (text: string) => void;
  readonly onEnter: (text: string) => void;
}

class TopView {
  readonly #cli: CliContext;
  #all: readonly JobView[] = [];
  #totals = "";
  #selectedId: string | undefined;
  #output: readonly string[] = [];
  #filter = "";
  #prompt: Prompt | undefined;
  #message: string | undefined;
  #opened: JobView | undefined;

  constructor(cli: CliContext) {
    this.#cli = cli;
  }

  /** The job that was chosen to be looked at by itself. */
  takeOpened(): JobView | undefined {
    const opened = this.#opened;
    this.#opened = undefined;
    return opened;
  }

  readonly refresh = async (signal: AbortSignal): Promise<void> => {
    const { client } = this.#cli;
    const [{ jobs }, { counts }] = await Promise.all([listJobs(client), client.call("job_count", {}, signal)]);
    this.#all = jobs;
    this.#totals = totalsText(counts);
    const { selected } = this;
    this.#output = selected === undefined ? [] : await this.#readOutput(selected.id, signal);
  };

  readonly render = (columns: number, rows: number): string[] => {
    const { jobs, selected } = this;
    const prompt = this.#prompt && `${this.#prompt.label}: ${this.#prompt.text}█`;
    const state: TopState = {
      jobs,
      selected,
      totals: this.#totals,
      output: this.#output,
      filter: this.#filter,
      ...(prompt === undefined ? {} : { prompt }),
      ...(this.#message === undefined ? {} : { message: this.#message }),
    };
    return renderTop(state, columns, rows, this.#cli.screen);
  };

  readonly onKey = (key: Key, control: FullScreenControl): void => {
    this.#message = undefined;
    if (this.#prompt === undefined) this.#act(key, control);
    else this.#type(this.#prompt, key);
    control.redraw();
  };

  get jobs(): readonly JobView[] {
    return this.#all.filter((job) => matchesFilter(job, this.#filter));
  }

  get selected(): JobView | undefined {
    const { jobs } = this;
    return jobs.find(({ id }) => id === this.#selectedId) ?? jobs[0];
  }

  async #readOutput(id: string, signal: AbortSignal): Promise<readonly string[]> {
    try {
      const request = { id, tail: outputLines, limit: outputBytes };
      const { text } = await this.#cli.client.call("job_output", request, signal);
      return stripControls(text).trimEnd().replaceAll("\t", "    ").split("\n");
    } catch (error) {
      // The job is gone.
      if (error instanceof LonghaulError) return [];
      throw error;
    }
  }

  #act({ name, sequence }: Key, control: FullScreenControl): void {
    const { selected } = this;
    if (name === "q" || name === "escape") return control.end();
    if (sequence === "/") return this.#askFilter();
    const step = steps[name ?? ""];
    if (step !== undefined) return this.#move(step, control);
    if (selected === undefined) return undefined;
    if (name === "return") {
      this.#opened = selected;
      control.end();
    } else if (name === "c") void this.#do(this.#cancel(selected), control);
    else if (name === "r") void this.#do(this.#retry(selected), control);
    else if (name === "a") this.#askAnswer(selected, control);
    return undefined;
  }

  #move(step: number, control: FullScreenControl): void {
    const { jobs, selected } = this;
    const place = jobs.findIndex(({ id }) => id === selected?.id);
    this.#selectedId = jobs[Math.min(jobs.length - 1, Math.max(0, place + step))]?.id;
    this.#output = [];
    control.refresh();
  }

  async #do(action: Promise<string>, control: FullScreenControl): Promise<void> {
    this.#message = await action.catch(messageOf);
    control.refresh();
  }

  async #cancel({ id }: JobView): Promise<string> {
    const { jobs } = await this.#cli.client.call("job_cancel", { ids: [id] });
    const [job] = jobs;
    return job === undefined ? "" : `${jobLabel(job)} ${isFinished(job) ? "has ended" : "is being cancelled"}`;
  }

  async #retry({ id }: JobView): Promise<string> {
    const { jobs } = await this.#cli.client.call("job_retry", { ids: [id] });
    const [job] = jobs;
    return job === undefined ? "" : `${jobLabel(job)} runs again: attempt ${job.attempt}`;
  }

  #askFilter(): void {
    const setFilter = (text: string): void => {
      this.#filter = text;
    };
    this.#prompt = { label: "only jobs with", text: this.#filter, onChange: setFilter, onEnter: setFilter };
  }

  #askAnswer(job: JobView, control: FullScreenControl): void {
    const [asked] = job.questions ?? [];
    if (asked === undefined) {
      this.#message = `${jobLabel(job)} asks nothing`;
      return;
    }
    const names = fieldNames(asked);
    const fields = names.length > 1 ? ` (${names.map((name) => `${name}=…`).join(" ")})` : "";
    const onEnter = (text: string): void => void this.#do(this.#answer(job, asked, text), control);
    this.#prompt = { label: `${asked.message}${fields}`, text: "", onEnter };
  }

  async #answer({ id }: JobView, asked: Asked, text: string): Promise<string> {
    const isForm = fieldNames(asked).length > 1;
    const answer = isForm ? toAnswer(asked, text.split(" "), {}) : toAnswer(asked, [], { text });
    const job = await this.#cli.client.call("job_answer", { id, key: asked.key, answer });
    return `${jobLabel(job)} has its answer`;
  }

  #type(prompt: Prompt, { name, ctrl, sequence = "" }: Key): void {
    if (name === "escape") {
      prompt.onChange?.("");
      this.#prompt = undefined;
    } else if (name === "return") {
      this.#prompt = undefined;
      prompt.onEnter(prompt.text);
    } else {
      const isText = ctrl !== true && stripControls(sequence) === sequence && sequence !== "";
      const text = name === "backspace" ? prompt.text.slice(0, -1) : isText ? prompt.text + sequence : prompt.text;
      this.#prompt = { ...prompt, text };
      prompt.onChange?.(text);
    }
  }
}

const steps: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageup: -10,
  pagedown: 10,
  home: -Infinity,
  end: Infinity,
};

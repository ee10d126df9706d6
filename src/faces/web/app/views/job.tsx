import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { artifactBlob, call } from "../core/api.ts";
import { formatBytes, visible } from "../core/format.ts";
import { useKeys } from "../core/keys.ts";
import { mayRun } from "../core/me.ts";
import { fragment, go, query, setQuery } from "../core/router.ts";
import { Events } from "../job/events.tsx";
import { isOpen, JobHead } from "../job/job-head.tsx";
import { JsonView } from "../job/json-view.tsx";
import { openLiveJob, type LiveJob } from "../job/live-job.ts";
import { Output } from "../job/output.tsx";
import { Timeline } from "../job/timeline.tsx";
import type { JobDetail } from "../job/source.ts";
import { lazy } from "../ui/lazy.tsx";
import { attempt, Button, confirm, Copyable, Problem, Skeleton, tell, titleOf } from "../ui/parts.tsx";

export function Job({ id }: { readonly id: string }): JSX.Element {
  const source = useMemo(() => openLiveJob(id), [id]);
  useEffect(() => source.close, [source]);
  const job = source.job.value;
  useEffect(() => {
    if (job !== undefined) document.title = `${visible(titleOf(job))} · Longhaul`;
    if (job?.finished_at !== undefined && mayRun()) void call("job_seen", { ids: [id] }).catch(() => undefined);
  }, [job?.state]);
  if (job === undefined) {
    const { value: error } = source.error;
    return (
      <main class="view">
        {error === undefined ? <Skeleton /> : <Problem error={error} onRetry={() => location.reload()} />}
      </main>
    );
  }
  return (
    <main class="view job">
      <JobHead source={source} actions={<Actions source={source} job={job} />} />
      <Timeline events={source.events.value} isOver={!isOpen(job)} />
      <Tabs source={source} job={job} />
    </main>
  );
}

function Actions({ source, job }: { source: LiveJob; job: JobDetail }): JSX.Element | null {
  const canRetry = job.state === "failed" || job.state === "timed_out" || job.state === "cancelled";
  const rerun = async (): Promise<void> => go(`/jobs/${(await call("job_rerun", { id: job.id })).id}`);
  const change = (): void => go(`/new/${encodeURIComponent(job.kind)}?like=${encodeURIComponent(job.id)}`);
  const cancel = (): void =>
    confirm({
      title: "Cancel this job?",
      text: "What it runs is told to stop, and killed if it does not.",
      verb: "Cancel the job",
      run: () => attempt(() => source.act({ verb: "cancel" })),
    });
  const remove = (): void =>
    confirm({
      title: "Delete this job?",
      text: "Its output and its files go with it.",
      verb: "Delete",
      run: () =>
        attempt(async () => {
          await call("job_delete", { ids: [job.id] });
          tell("The job was deleted.");
          go("/jobs");
        }),
    });
  const isLive = isOpen(job);
  useKeys(
    mayRun()
      ? {
          r: canRetry ? () => attempt(() => source.act({ verb: "retry" })) : undefined,
          c: isLive ? cancel : undefined,
          d: isLive ? undefined : remove,
        }
      : {},
  );
  if (!mayRun()) return null;
  return (
    <span class="actions">
      {canRetry && (
        <Button label="Retry" icon="retry" look="main" keys="r" onPress={() => source.act({ verb: "retry" })} />
      )}
      {!isLive && !canRetry && <Button label="Run again" icon="retry" onPress={rerun} />}
      {!isLive && <Button label="Run with changes" icon="edit" onPress={change} />}
      {isLive && <Button label="Cancel" icon="ban" look="danger" keys="c" onPress={cancel} />}
      {!isLive && <Button label="Delete" icon="trash" keys="d" isIconOnly onPress={remove} />}
    </span>
  );
}

const kindTabs: Readonly<Record<string, string>> = {
  agent: "turns",
  crawl: "pages",
  endpoint: "answer",
  page: "analysis",
};

function Tabs({ source, job }: { source: LiveJob; job: JobDetail }): JSX.Element {
  const own = kindTabs[job.kind];
  const hasResult = job.result !== undefined || (job.artifacts?.length ?? 0) > 0;
  const shown = [...(own === undefined ? [] : [own]), "output", ...(hasResult ? ["result"] : []), "input", "events"];
  const chosen = shown.find((tab) => tab === query.value.get("tab")) ?? shown[0] ?? "output";
  return (
    <>
      <div class="tabs" role="tablist" aria-label="The job's parts">
        {shown.map((tab) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`tab-${tab}`}
            aria-selected={tab === chosen}
            aria-controls="tab-panel"
            onClick={() => setQuery({ tab: tab === shown[0] ? undefined : tab })}
          >
            {tab}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${chosen}`}>
        {chosen === own && <KindView job={job} />}
        {chosen === "output" && <OutputTab source={source} job={job} />}
        {chosen === "input" && <JsonView value={job.input} />}
        {chosen === "result" && <ResultTab job={job} />}
        {chosen === "events" && <Events events={source.events.value} />}
      </div>
    </>
  );
}

/** The view of a kind is loaded with the first job of one that has any. */
const KindView = lazy(async () => {
  const { kindViews } = await import("../job/kinds/kind-views.ts");
  return function Own({ job }: { readonly job: JobDetail }): JSX.Element | null {
    const View = kindViews[job.kind];
    return View === undefined ? null : <View job={job} />;
  };
});

function OutputTab({ source, job }: { source: LiveJob; job: JobDetail }): JSX.Element {
  const [, line] = /^L(\d{1,9})$/.exec(fragment.value) ?? [];
  const attemptText = query.value.get("attempt");
  const number = attemptText === null ? undefined : Number(attemptText);
  const isInteractive = isOpen(job) && job.kind === "shell" && mayRun();
  return (
    <>
      {job.attempt > 1 && (
        <label class="attempts">
          Attempt
          <select value={attemptText ?? ""} onChange={(event) => setQuery({ attempt: event.currentTarget.value })}>
            <option value="">all, the newest last</option>
            {Array.from({ length: job.attempt }, (_attempt, index) => (
              <option key={index} value={String(index + 1)}>
                {index + 1}
              </option>
            ))}
          </select>
        </label>
      )}
      <Output
        source={source}
        attempt={number}
        startLine={line === undefined ? undefined : Number(line)}
        onLine={(shown) => go(`#L${shown}`, { isReplaced: true })}
      />
      {isInteractive && <StandardInput source={source} />}
    </>
  );
}

function StandardInput({ source }: { readonly source: LiveJob }): JSX.Element {
  const text = useSignal("");
  return (
    <form
      class="stdin"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(async () => {
          await source.act({ verb: "send", text: `${text.value}\n` });
          text.value = "";
        });
      }}
    >
      <label for="stdin">stdin</label>
      <input
        id="stdin"
        autocomplete="off"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <Button label="Send" type="submit" />
    </form>
  );
}

async function download(id: string, name: string): Promise<void> {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await artifactBlob(id, name));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function ResultTab({ job }: { readonly job: JobDetail }): JSX.Element {
  return (
    <>
      {job.artifacts !== undefined && (
        <ul class="artifacts">
          {job.artifacts.map(({ name, bytes }) => (
            <li key={name}>
              <Button label={name} icon="download" onPress={() => download(job.id, name)} />
              <span class="muted">{formatBytes(bytes)}</span>
            </li>
          ))}
        </ul>
      )}
      {job.result !== undefined && <JsonView value={job.result} />}
      <p class="muted">
        <Copyable text={job.id} />
      </p>
    </>
  );
}

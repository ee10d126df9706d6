import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { JobView } from "../../../../operations/job-view.ts";
import { call } from "../core/api.ts";
import { jobsMatching } from "../core/filter.ts";
import { formatCount, visible } from "../core/format.ts";
import { changes } from "../core/live.ts";
import { mayRun } from "../core/me.ts";
import {
  Ago,
  Button,
  Copyable,
  Empty,
  Panel,
  ProgressBar,
  progressWords,
  RunTime,
  Skeleton,
  StateMark,
  titleOf,
} from "../ui/parts.tsx";
import { useLoad } from "../ui/use-load.ts";
import { hrefOf } from "./job-columns.tsx";
import { Asking } from "./asking.tsx";
import { Failing, Throughput } from "./figures.tsx";
import { JobList } from "./job-list.ts";
import { Slots } from "./slots.tsx";

const maxLanes = 40;

/** What goes on now, what asks, what fails, and what has ended without a look. */
export function Overview(): JSX.Element {
  const active = useMemo(() => new JobList({ q: "state:active" }), []);
  useEffect(() => active.open(), [active]);
  const inbox = useLoad((signal) => call("inbox_list", { limit: 8 }, signal), [changes.value]);
  const jobs = active.rows.value;
  const asking = inbox.data.value?.waiting ?? [];
  return (
    <main class="view overview">
      <h1 class="unseen">Overview</h1>
      {asking.length > 0 && (
        <section class="asks" aria-label="Questions">
          {asking.slice(0, 3).map((job, index) => (
            <Asking key={job.id} job={job} index={index} isCurrent={false} reload={inbox.reload} />
          ))}
          {asking.length > 3 && <a href="/inbox">and {asking.length - 3} more questions</a>}
        </section>
      )}
      <Panel title="Now" side={<span class="muted">{nowWords(jobs)}</span>}>
        {active.isLoaded.value ? <Lanes jobs={jobs} /> : <Skeleton rows={4} />}
      </Panel>
      <Throughput />
      <Failing />
      <div class="columns">
        <QueuePanel />
        <Unseen
          jobs={inbox.data.value?.finished ?? []}
          isMore={inbox.data.value?.cursor !== undefined}
          reload={inbox.reload}
        />
      </div>
    </main>
  );
}

function nowWords(jobs: readonly JobView[]): string {
  const count = (state: JobView["state"]): number => jobs.filter((job) => job.state === state).length;
  return `${count("running")} running · ${count("waiting")} asking · ${count("queued")} queued`;
}

function Lanes({ jobs }: { readonly jobs: readonly JobView[] }): JSX.Element {
  const shown = jobs.filter(({ state }) => state !== "queued").slice(0, maxLanes);
  if (shown.length === 0) return <Nothing />;
  return (
    <ul class="lanes">
      {shown.map((job) => (
        <li key={job.id}>
          <span class="muted kind">{visible(job.kind)}</span>
          <a class="cover" href={hrefOf(job)}>
            {visible(titleOf(job))}
          </a>
          <ProgressBar job={job} />
          <span class="muted words">{visible(progressWords(job))}</span>
          <span class="muted time">
            <RunTime job={job} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Nothing(): JSX.Element {
  return (
    <Empty title="Nothing runs">
      <Copyable text="longhaul run -- npm test" />
      <Copyable text="longhaul crawl https://example.com" />
      <Copyable text="longhaul add claude-code" />
      {mayRun() && <Button label="Run a demo" icon="play" onPress={runDemo} />}
    </Empty>
  );
}

/** Shows what the dashboard is for: progress, output, and a question. */
const demo = [
  "for step in 1 2 3 4 5; do",
  '  echo "Building part $step of 5"; longhaul progress $step/5 "part $step"; sleep 1',
  "done",
  'answer=$(longhaul ask "The build is done. Deploy it?" --yes-no); echo "The answer was: $answer"',
].join("\n");

async function runDemo(): Promise<void> {
  await call("run_command", { command: demo, name: "demo" });
}

function QueuePanel(): JSX.Element {
  const { data } = useLoad((signal) => call("kind_list", {}, signal), [changes.value]);
  return (
    <Panel title="Queues" side={<a href="/queues">All</a>}>
      {data.value === undefined ? (
        <Skeleton rows={5} />
      ) : (
        <ul class="queue-list">
          {data.value.kinds.map((kind) => (
            <li key={kind.name}>
              <a href={jobsMatching(`kind:${kind.name}`, "state:active")}>{visible(kind.name)}</a>
              <Slots kind={kind} />
              <span class="muted">{formatCount(kind.jobs["queued"] ?? 0)} queued</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface UnseenProps {
  readonly jobs: readonly JobView[];
  readonly isMore: boolean;
  readonly reload: () => Promise<void>;
}

function Unseen({ jobs, isMore, reload }: UnseenProps): JSX.Element {
  const seen = async (): Promise<void> => {
    await call("job_seen", { all: true });
    await reload();
  };
  return (
    <Panel
      title="Finished, not looked at"
      side={mayRun() && jobs.length > 0 && <Button label="Mark all as seen" icon="check" onPress={seen} />}
    >
      {jobs.length === 0 && <p class="muted">You have seen them all.</p>}
      <ul class="brief">
        {jobs.map((job) => (
          <li key={job.id}>
            <StateMark state={job.state} isShort />
            <a class="cover" href={hrefOf(job)}>
              {visible(titleOf(job))}
            </a>
            <span class="muted">
              <Ago at={job.finished_at ?? job.created_at} />
            </span>
          </li>
        ))}
      </ul>
      {isMore && <a href="/inbox">and more</a>}
    </Panel>
  );
}

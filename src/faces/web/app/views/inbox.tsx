import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { call } from "../core/api.ts";
import { formatCount } from "../core/format.ts";
import { useKeys } from "../core/keys.ts";
import { changes } from "../core/live.ts";
import { mayRun } from "../core/me.ts";
import { go } from "../core/router.ts";
import { Button, Empty, Panel, Problem, Skeleton, tell } from "../ui/parts.tsx";
import { Table } from "../ui/table.tsx";
import { useLoad } from "../ui/use-load.ts";
import { Asking } from "./asking.tsx";
import { hrefOf, jobColumns } from "./job-columns.tsx";

const maxFinished = 200;

/** What waits for somebody: questions, and ends that nobody has looked at. */
export function Inbox(): JSX.Element {
  const inbox = useLoad((signal) => call("inbox_list", { limit: maxFinished }, signal), [changes.value]);
  const at = useSignal(0);
  const waiting = inbox.data.value?.waiting ?? [];
  const finished = inbox.data.value?.finished ?? [];
  const step = (by: number): void => {
    at.value = Math.max(0, Math.min(waiting.length + finished.length - 1, at.value + by));
  };
  useEffect(() => {
    document.getElementById(`asks-${at.value}`)?.scrollIntoView({ block: "nearest" });
  }, [at.value]);
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    Enter: () => {
      const job = waiting[at.value] ?? finished[at.value - waiting.length];
      const field = document.querySelector<HTMLElement>(`#asks-${at.value} :is(input, select, textarea, button)`);
      if (field !== null) field.focus();
      else if (job !== undefined) go(hrefOf(job));
    },
  });
  if (inbox.data.value === undefined) {
    return inbox.error.value === undefined ? (
      <Skeleton />
    ) : (
      <Problem error={inbox.error.value} onRetry={inbox.reload} />
    );
  }
  const markAll = async (): Promise<void> => {
    const { count } = await call("job_seen", { all: true });
    tell(`${formatCount(count)} taken for seen.`);
    await inbox.reload();
  };
  if (waiting.length + finished.length === 0) {
    return (
      <main class="view">
        <h1>Inbox</h1>
        <Empty title="Nothing waits for you">
          <p>Questions of running jobs come here, and jobs that have ended since you last looked.</p>
        </Empty>
      </main>
    );
  }
  return (
    <main class="view inbox">
      <h1>Inbox</h1>
      {waiting.map((job, index) => (
        <Asking key={job.id} job={job} index={index} isCurrent={at.value === index} reload={inbox.reload} />
      ))}
      {finished.length > 0 && (
        <Panel
          title={`Finished, not looked at: ${formatCount(finished.length)}${inbox.data.value.cursor === undefined ? "" : "+"}`}
          side={mayRun() && <Button label="Mark all as seen" icon="check" onPress={markAll} />}
        >
          <Table
            label="Finished jobs"
            columns={jobColumns}
            rows={finished}
            keyOf={({ id }) => id}
            hrefOf={hrefOf}
            at={at.value - waiting.length}
          />
        </Panel>
      )}
    </main>
  );
}

import type { JSX } from "preact";
import { filterWord, jobsMatching } from "../core/filter.ts";
import { visible } from "../core/format.ts";
import { Ago, ProgressBar, progressWords, RunTime, StateMark, titleOf } from "../ui/parts.tsx";
import { QuestionForm } from "./question.tsx";
import type { JobDetail, JobSource } from "./source.ts";

export function isOpen({ state }: Pick<JobDetail, "state">): boolean {
  return state === "queued" || state === "running" || state === "waiting";
}

/** What stands at the top of a job, in the dashboard and in the card: what it is, how far, and what it asks. */
export function JobHead({ source, actions }: { source: JobSource; actions?: JSX.Element }): JSX.Element | null {
  const job = source.job.value;
  if (job === undefined) return null;
  return (
    <div class="job-head">
      <div class="line-up">
        <StateMark state={job.state} />
        <h1 title={visible(titleOf(job))}>{visible(titleOf(job))}</h1>
        {actions}
      </div>
      <p class="facts">
        <Facts job={job} />
      </p>
      <ProgressBar job={job} />
      {progressWords(job) !== "" && <p class="progress-words">{visible(progressWords(job))}</p>}
      {job.error !== undefined && (
        <p class="failure">
          <code>{visible(job.error.code)}</code> {visible(job.error.message)}
        </p>
      )}
      {job.reason !== undefined && <p class="muted">{visible(job.reason)}</p>}
      {job.stalled_since !== undefined && (
        <p class="warning">
          No sign of life since <Ago at={job.stalled_since} />.
        </p>
      )}
      {job.cancel_requested === true && <p class="warning">It was asked to stop, and is cleaning up.</p>}
      {job.questions?.map((question) => (
        <QuestionForm
          key={question.key}
          question={question}
          prefix={`q-${job.id}-${question.key}`}
          isReadOnly={source.isReadOnly}
          answer={(key, answer) => source.act({ verb: "answer", key, answer })}
        />
      ))}
    </div>
  );
}

function Facts({ job }: { readonly job: JobDetail }): JSX.Element {
  const texts = [
    job.kind,
    job.owner === "local" ? undefined : job.owner,
    job.exit_code === undefined ? undefined : `exit ${job.exit_code ?? "unknown"}`,
    job.attempts > 1 || job.attempt > 1 ? `try ${job.attempt} of ${Math.max(job.attempts, job.attempt)}` : undefined,
    job.jobs_ahead === undefined ? undefined : `${job.jobs_ahead} ahead in the queue`,
    job.partial === true ? "only in part" : undefined,
  ].filter((text) => text !== undefined);
  return (
    <>
      {texts.map((text) => (
        <span key={text}>{visible(text)}</span>
      ))}
      {job.started_at !== undefined && <RunTime job={job} />}
      <Ago at={job.finished_at ?? job.started_at ?? job.created_at} />
      {job.schedule !== undefined && <span>schedule {visible(job.schedule)}</span>}
      {job.batch !== undefined && <a href={`/batches/${encodeURIComponent(job.batch)}`}>{visible(job.batch)}</a>}
      {job.tags?.map((tag) => (
        <a key={tag} class="tag" href={jobsMatching(filterWord("tag", tag))}>
          {visible(tag)}
        </a>
      ))}
    </>
  );
}

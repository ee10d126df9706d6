import type { JSX } from "preact";
import type { JobView } from "../../../../operations/job-view.ts";
import { call } from "../core/api.ts";
import { visible } from "../core/format.ts";
import { mayRun } from "../core/me.ts";
import { QuestionForm } from "../job/question.tsx";
import { Ago, tell, titleOf } from "../ui/parts.tsx";
import { hrefOf } from "./job-columns.tsx";

interface AskingProps {
  readonly job: JobView;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly reload: () => Promise<void>;
}

export function Asking({ job, index, isCurrent, reload }: AskingProps): JSX.Element {
  return (
    <article class={isCurrent ? "asking current" : "asking"} id={`asks-${index}`} aria-label={visible(titleOf(job))}>
      <header class="line-up">
        <h2>
          <a href={hrefOf(job)}>{visible(titleOf(job))}</a>
        </h2>
        <span class="muted">
          {visible(job.kind)}
          {job.owner === "local" ? "" : ` · ${visible(job.owner)}`}
        </span>
        <span class="muted">
          <AskedAt job={job} />
        </span>
      </header>
      {job.questions?.map((question) => (
        <QuestionForm
          key={question.key}
          question={question}
          prefix={`inbox-${job.id}-${question.key}`}
          isReadOnly={!mayRun()}
          answer={async (key, answer) => {
            await call("job_answer", { id: job.id, key, answer });
            tell("Answered: the job goes on.");
            await reload();
          }}
        />
      ))}
    </article>
  );
}

function AskedAt({ job }: { readonly job: JobView }): JSX.Element {
  return <Ago at={job.started_at ?? job.created_at} />;
}

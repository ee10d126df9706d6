import type { JSX } from "preact";
import { formatDuration, visible } from "../../core/format.ts";
import { JsonView } from "../json-view.tsx";
import type { JobDetail } from "../source.ts";

interface Answer {
  readonly output?: unknown;
  readonly delay_ms?: number;
  readonly execution_ms?: number;
  readonly worker?: string;
  readonly remote_id?: string;
}

/** What an endpoint answered, and how long it took on the platform. */
export function EndpointView({ job }: { readonly job: JobDetail }): JSX.Element {
  const { output, ...answer } = (job.result ?? {}) as Answer;
  const { endpoint } = (job.input ?? {}) as { endpoint?: string };
  return (
    <section class="kind-view" aria-label="Endpoint">
      <p class="facts">
        {endpoint !== undefined && <b>{visible(endpoint)}</b>}
        {answer.delay_ms !== undefined && <span>waited {formatDuration(answer.delay_ms)}</span>}
        {answer.execution_ms !== undefined && <span>ran {formatDuration(answer.execution_ms)}</span>}
        {answer.worker !== undefined && <span>worker {visible(answer.worker)}</span>}
        {answer.remote_id !== undefined && <code>{visible(answer.remote_id)}</code>}
      </p>
      {Array.isArray(output) ? (
        <ol class="chunks">
          {output.map((chunk: unknown, index) => (
            <li key={index}>
              <JsonView value={chunk} name={String(index + 1)} />
            </li>
          ))}
        </ol>
      ) : (
        output !== undefined && <JsonView value={output} />
      )}
    </section>
  );
}

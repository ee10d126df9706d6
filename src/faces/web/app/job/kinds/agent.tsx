import type { JSX } from "preact";
import { call } from "../../core/api.ts";
import { formatCount, visible, words } from "../../core/format.ts";
import { JsonView } from "../json-view.tsx";
import type { JobDetail } from "../source.ts";
import { useGrowing } from "./growing.ts";

interface Step {
  readonly at: string;
  readonly type: string;
  readonly after: number;
  readonly [fact: string]: unknown;
}

/** What an agent did, turn by turn: each reply of the model, and the tools that it called. */
export function AgentView({ job }: { readonly job: JobDetail }): JSX.Element {
  const steps = useGrowing<Step>(
    async (from, signal) => {
      const { text, next } = await call("job_output", { id: job.id, stream: "activity", from, limit: 500_000 }, signal);
      // A line that is not whole is left for the next look.
      const end = text.lastIndexOf("\n") + 1;
      const bytes = new TextEncoder().encode(text.slice(end)).length;
      return { items: text.slice(0, end).split("\n").flatMap(parse), next: next - bytes };
    },
    [job.id, job.progress?.message, job.progress?.tokens, job.state],
  );
  const { tokens } = job.progress ?? {};
  const result = job.result as { cost_usd?: number; model?: string; output?: string } | undefined;
  return (
    <section class="kind-view agent" aria-label="Turns">
      <p class="facts">
        {tokens !== undefined && <span>{formatCount(tokens)} tokens</span>}
        {result?.cost_usd !== undefined && <span>${result.cost_usd.toFixed(3)}</span>}
        {result?.model !== undefined && <span>{visible(result.model)}</span>}
      </p>
      {typeof result?.output === "string" && <pre class="answer">{visible(result.output)}</pre>}
      <ol class="turns">
        {steps.value.map((step, index) => (
          <Turn key={index} step={step} />
        ))}
      </ol>
    </section>
  );
}

function Turn({ step }: { readonly step: Step }): JSX.Element {
  const { at, type, after: _after, pieces: _pieces, ...facts } = step;
  const { name, tool, model, text, ...others } = facts;
  const title = [name, tool, model].find((fact) => typeof fact === "string");
  return (
    <li class={`turn is-${type}`}>
      <time class="muted" dateTime={at}>
        {new Date(at).toLocaleTimeString()}
      </time>
      <b>{words(type)}</b>
      <span>
        {title !== undefined && <code>{visible(title)}</code>}
        {typeof text === "string" && <span class="said">{visible(text)}</span>}
        {Object.keys(others).length > 0 && <JsonView value={others} depth={2} />}
      </span>
    </li>
  );
}

function parse(line: string): Step[] {
  try {
    return line === "" ? [] : [JSON.parse(line) as Step];
  } catch {
    return [];
  }
}

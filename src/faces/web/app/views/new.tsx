import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { AnswerOf } from "../../../../operations/registry.ts";
import { call, messageOf, post } from "../core/api.ts";
import { visible, words } from "../core/format.ts";
import { kinds, loadKinds, type Kind } from "../core/me.ts";
import { go, path, query } from "../core/router.ts";
import { Fields, FormState, type Schema } from "../ui/form.tsx";
import { Button, Problem, Skeleton } from "../ui/parts.tsx";
import { useLoad } from "../ui/use-load.ts";

type Verb = Kind["verbs"][number];

/** What every start takes besides the kind's own fields: less often wanted. */
const startNames = [
  "name",
  "tags",
  "batch",
  "priority",
  "after",
  "delay_ms",
  "timeout_ms",
  "idle_timeout_ms",
  "attempts",
  "webhook",
  "notify",
  "notify_on",
];

export function New(): JSX.Element {
  const error = useSignal<unknown>(undefined);
  useEffect(() => {
    loadKinds().catch((problem: unknown) => {
      error.value = problem;
    });
  }, []);
  const [, wanted] = path.value;
  const verbs = kinds.value.flatMap((kind) => kind.verbs.map((verb) => ({ kind, verb })));
  const chosen = verbs.find(({ kind, verb }) => verb.name === wanted || kind.name === wanted) ?? verbs[0];
  if (error.value !== undefined) return <Problem error={error.value} />;
  if (chosen === undefined) return <Skeleton />;
  const like = query.value.get("like") ?? undefined;
  return (
    <main class={like === undefined ? "view new" : "view"}>
      {like === undefined && <KindNav chosen={chosen.verb} />}
      {like === undefined ? (
        <StartForm key={chosen.verb.name} kind={chosen.kind} verb={chosen.verb} />
      ) : (
        <LikeForm key={like} kind={chosen.kind} like={like} />
      )}
    </main>
  );
}

function KindNav({ chosen }: { readonly chosen: Verb }): JSX.Element {
  return (
    <nav class="kinds" aria-label="What to start">
      {kinds.value.map((kind) => (
        <div key={kind.name}>
          <h2>{visible(kind.name)}</h2>
          {kind.verbs.map((verb) => (
            <a key={verb.name} href={`/new/${verb.name}`} aria-current={verb === chosen ? "page" : undefined}>
              {visible(words(verb.name))}
            </a>
          ))}
        </div>
      ))}
    </nav>
  );
}

function StartForm({ kind, verb }: { kind: Kind; verb: Verb }): JSX.Element {
  const schema = verb.input as Schema;
  const form = useMemo(() => new FormState(schema), [verb]);
  const names = Object.keys(schema.properties ?? {});
  const own = names.filter((name) => !startNames.includes(name) && name !== "idempotency_key");
  // What is needed comes first; a kind with many fields shows the rest when asked.
  const first = own.toSorted((one, other) => Number(isNeeded(schema, other)) - Number(isNeeded(schema, one)));
  const start = async (): Promise<string | undefined> => {
    const values = form.collect();
    if (values === undefined) return undefined;
    const endpoint = typeof values["endpoint"] === "string" ? values["endpoint"] : "";
    const { endpoint: _inPath, ...others } = values;
    const inPath = verb.path.includes("{endpoint}");
    const place = verb.path.replace("{endpoint}", encodeURIComponent(endpoint));
    return ((await post(place, inPath ? others : values)) as { id: string }).id;
  };
  return (
    <FormFrame
      title={words(verb.name)}
      text={verb.description}
      form={form}
      verb={`Start ${kind.name} job`}
      start={start}
    >
      <Fields form={form} names={first.slice(0, 6)} prefix="new" />
      {first.length > 6 && <More label="More options" form={form} names={first.slice(6)} />}
      <More label="Name, tags, limits, notices" form={form} names={startNames.filter((name) => names.includes(name))} />
    </FormFrame>
  );
}

function isNeeded({ required = [], properties = {} }: Schema, name: string): boolean {
  return required.includes(name) && properties[name]?.default === undefined;
}

function More({ label, form, names }: { label: string; form: FormState; names: readonly string[] }): JSX.Element {
  return (
    <details class="more">
      <summary>{label}</summary>
      <Fields form={form} names={names} prefix="new" />
    </details>
  );
}

/** A new job like a finished one. What is hidden in its input stays as it is, because only what was changed is sent. */
function LikeForm({ kind, like }: { kind: Kind; like: string }): JSX.Element {
  const { data, error } = useLoad((signal) => call("job_get", { id: like }, signal), [like]);
  if (error.value !== undefined) return <Problem error={error.value} />;
  if (data.value === undefined) return <Skeleton />;
  return <ChangeForm kind={kind} job={data.value} />;
}

function ChangeForm({ kind, job }: { kind: Kind; job: AnswerOf<"job_get"> }): JSX.Element {
  const input = (job.input ?? {}) as Record<string, unknown>;
  const schema = schemaFor(kind, input);
  const form = useMemo(() => new FormState(schema, input), [job.id]);
  const before = useMemo(() => form.collect() ?? {}, [form]);
  const start = async (): Promise<string | undefined> => {
    const values = form.collect();
    if (values === undefined) return undefined;
    const changes: Record<string, unknown> = {};
    for (const name of new Set([...Object.keys(before), ...Object.keys(values)])) {
      if (JSON.stringify(before[name]) !== JSON.stringify(values[name])) changes[name] = values[name] ?? null;
    }
    return (await call("job_rerun", { id: job.id, changes: changes as Record<string, null> })).id;
  };
  const names = Object.keys(schema.properties ?? {}).toSorted(
    (one, other) => Number(other in input) - Number(one in input),
  );
  return (
    <FormFrame
      title={`Run ${job.name ?? job.summary ?? job.id} again`}
      text="Only what you change differs; what is hidden stays as it was."
      form={form}
      verb="Start with these changes"
      start={start}
    >
      <Fields form={form} names={names.filter((name) => name in input)} prefix="like" />
      <More label="Other options" form={form} names={names.filter((name) => !(name in input))} />
    </FormFrame>
  );
}

/** The schema of the verb that makes such inputs: of several, the one that knows most of its fields. */
function schemaFor(kind: Kind, input: Readonly<Record<string, unknown>>): Schema {
  const own = kind.input as Schema;
  if (own.properties !== undefined) return own;
  const known = ({ properties = {} }: Schema): number => Object.keys(input).filter((name) => name in properties).length;
  const schemas = kind.verbs.map((verb) => verb.input as Schema);
  return schemas.toSorted((one, other) => known(other) - known(one))[0] ?? {};
}

interface FrameProps {
  readonly title: string;
  readonly text: string;
  readonly form: FormState;
  readonly verb: string;
  readonly start: () => Promise<string | undefined>;
  readonly children: ComponentChildren;
}

function FormFrame({ title, text, form, verb, start, children }: FrameProps): JSX.Element {
  const problem = useSignal("");
  const isSending = useSignal(false);
  const submit = async (): Promise<void> => {
    problem.value = "";
    isSending.value = true;
    try {
      const id = await start();
      if (id !== undefined) go(`/jobs/${id}`);
    } catch (error) {
      if (!form.refuse(error)) problem.value = messageOf(error);
    }
    isSending.value = false;
    // The field may be in a part that is closed.
    requestAnimationFrame(() => {
      const wrong = document.querySelector<HTMLElement>('[aria-invalid="true"]');
      wrong?.closest("details")?.setAttribute("open", "");
      wrong?.focus();
    });
  };
  return (
    <form
      class="start"
      aria-label={visible(title)}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h1>{visible(title)}</h1>
      <p class="muted">{visible(text)}</p>
      {children}
      <p class="wrong" role="alert">
        {problem.value}
      </p>
      <div class="actions">
        <Button label={verb} icon="play" look="main" type="submit" isDisabled={isSending.value} />
      </div>
    </form>
  );
}

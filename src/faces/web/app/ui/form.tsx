import { signal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { ApiError, messageOf } from "../core/api.ts";
import { visible, words } from "../core/format.ts";

/** What a form understands of JSON Schema; everything else can be given as JSON. */
export interface Schema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

type Control = "checkbox" | "choice" | "choices" | "number" | "text" | "long" | "lines" | "json";

const longText = 2_000;

function controlOf(schema: Schema): Control {
  if (schema.enum !== undefined) return "choice";
  if (schema.type === "boolean") return "checkbox";
  if (schema.type === "number" || schema.type === "integer") return "number";
  if (schema.type === "string") return (schema.maxLength ?? 0) > longText && schema.format !== "uri" ? "long" : "text";
  if (schema.type === "array" && schema.items?.enum !== undefined) return "choices";
  if (schema.type === "array" && schema.items?.type === "string") return "lines";
  return "json";
}

/** What has been filled in: texts as they are typed, until they are collected. */
export class FormState {
  readonly schema: Schema;
  readonly texts: Signal<Readonly<Record<string, string | boolean | readonly string[]>>> = signal({});
  readonly problems: Signal<Readonly<Record<string, string>>> = signal({});

  constructor(schema: Schema, values: Readonly<Record<string, unknown>> = {}) {
    this.schema = schema;
    const texts: Record<string, string | boolean | readonly string[]> = {};
    for (const [name, value] of Object.entries(values)) {
      const field = schema.properties?.[name];
      if (field !== undefined && value !== undefined && value !== null) texts[name] = toText(field, value);
    }
    this.texts.value = texts;
  }

  set(name: string, value: string | boolean | readonly string[]): void {
    this.texts.value = { ...this.texts.value, [name]: value };
    const { [name]: _solved, ...others } = this.problems.value;
    this.problems.value = others;
  }

  /** The values as the server takes them; undefined if something is wrong, which is then told beside its field. */
  collect(): Record<string, unknown> | undefined {
    const values: Record<string, unknown> = {};
    const problems: Record<string, string> = {};
    const { properties = {}, required = [] } = this.schema;
    for (const [name, field] of Object.entries(properties)) {
      const text = this.texts.value[name];
      if (text === undefined || text === "" || (Array.isArray(text) && text.length === 0)) {
        if (required.includes(name) && field.default === undefined) problems[name] = "This is needed.";
        continue;
      }
      try {
        values[name] = toValue(field, text);
      } catch {
        problems[name] = controlOf(field) === "number" ? "This must be a number." : "This is not valid JSON.";
      }
    }
    this.problems.value = problems;
    return Object.keys(problems).length === 0 ? values : undefined;
  }

  /** Tells what the server refused beside the field that it names; false if that is none of these. */
  refuse(error: unknown): boolean {
    const field = error instanceof ApiError ? error.field?.split(".")[0] : undefined;
    if (field === undefined || this.schema.properties?.[field] === undefined) return false;
    this.problems.value = { ...this.problems.value, [field]: messageOf(error) };
    return true;
  }
}

function toText(field: Schema, value: unknown): string | boolean | readonly string[] {
  const control = controlOf(field);
  if (control === "checkbox") return value === true;
  if (control === "choices" && Array.isArray(value)) return value.map(String);
  if (control === "lines" && Array.isArray(value)) return value.join("\n");
  if (control === "json") return JSON.stringify(value, null, 2);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function toValue(field: Schema, text: string | boolean | readonly string[]): unknown {
  if (typeof text !== "string") return text;
  switch (controlOf(field)) {
    case "number": {
      const value = Number(text.trim());
      if (!Number.isFinite(value)) throw new TypeError("not a number");
      return value;
    }
    case "lines":
      return text.split("\n").filter((line) => line.trim() !== "");
    case "json":
      return JSON.parse(text) as unknown;
    default:
      return text;
  }
}

interface FieldsProps {
  readonly form: FormState;
  /** Only these, in this order; all unless given. */
  readonly names?: readonly string[];
  readonly prefix: string;
}

export function Fields({ form, names = Object.keys(form.schema.properties ?? {}), prefix }: FieldsProps): JSX.Element {
  return (
    <div class="fields">
      {names.map((name) => (
        <Field key={name} form={form} name={name} id={`${prefix}-${name}`} />
      ))}
    </div>
  );
}

function Field({ form, name, id }: { form: FormState; name: string; id: string }): JSX.Element | null {
  const schema = form.schema.properties?.[name];
  if (schema === undefined) return null;
  const problem = form.problems.value[name];
  const isNeeded = form.schema.required?.includes(name) === true && schema.default === undefined;
  const label = visible(schema.title ?? words(name));
  const control = <ControlOf schema={schema} form={form} name={name} id={id} isWrong={problem !== undefined} />;
  const isGroup = controlOf(schema) === "choices";
  return (
    <div class={`field for-${controlOf(schema)}`}>
      {isGroup ? (
        <span class="label">{label}</span>
      ) : (
        <label for={id}>
          {label}
          {isNeeded && <em> needed</em>}
        </label>
      )}
      {control}
      <p class="hint" id={`${id}-hint`}>
        {problem === undefined ? visible(schema.description ?? "") : <strong class="wrong">{problem}</strong>}
      </p>
    </div>
  );
}

interface ControlProps {
  readonly schema: Schema;
  readonly form: FormState;
  readonly name: string;
  readonly id: string;
  readonly isWrong: boolean;
}

function ControlOf({ schema, form, name, id, isWrong }: ControlProps): JSX.Element {
  const value = form.texts.value[name];
  const text = typeof value === "string" ? value : "";
  const common = { id, name, "aria-invalid": isWrong, "aria-describedby": `${id}-hint`, autocomplete: "off" as const };
  const onInput = (event: { currentTarget: { value: string } }): void => form.set(name, event.currentTarget.value);
  const hint =
    schema.default === undefined
      ? ""
      : typeof schema.default === "string"
        ? schema.default
        : JSON.stringify(schema.default);
  switch (controlOf(schema)) {
    case "checkbox": {
      const isOn = typeof value === "boolean" ? value : schema.default === true;
      return (
        <input
          {...common}
          type="checkbox"
          checked={isOn}
          onChange={(event) => form.set(name, event.currentTarget.checked)}
        />
      );
    }
    case "choice":
      return (
        <select {...common} value={text} onChange={onInput}>
          <option value="">{hint === "" ? "–" : `${hint} (default)`}</option>
          {schema.enum?.map((choice) => (
            <option key={String(choice)} value={String(choice)}>
              {visible(String(choice))}
            </option>
          ))}
        </select>
      );
    case "choices":
      return <Choices schema={schema} form={form} name={name} />;
    case "long":
    case "lines":
    case "json":
      return (
        <textarea
          {...common}
          rows={controlOf(schema) === "long" ? 4 : 2}
          class={controlOf(schema) === "json" ? "code" : ""}
          placeholder={
            controlOf(schema) === "lines" ? "one a line" : hint === "" && controlOf(schema) === "json" ? "JSON" : hint
          }
          value={text}
          onInput={onInput}
        />
      );
    default:
      return (
        <input
          {...common}
          type="text"
          inputMode={controlOf(schema) === "number" ? "decimal" : "text"}
          placeholder={hint}
          value={text}
          onInput={onInput}
        />
      );
  }
}

function Choices({ schema, form, name }: Pick<ControlProps, "schema" | "form" | "name">): JSX.Element {
  const value = form.texts.value[name];
  const chosen = Array.isArray(value) ? value : Array.isArray(schema.default) ? schema.default.map(String) : [];
  const toggle = (choice: string): void =>
    form.set(name, chosen.includes(choice) ? chosen.filter((other) => other !== choice) : [...chosen, choice]);
  return (
    <span class="choices" role="group" aria-label={words(name)}>
      {schema.items?.enum?.map(String).map((choice) => (
        <label key={choice}>
          <input type="checkbox" checked={chosen.includes(choice)} onChange={() => toggle(choice)} />
          {visible(choice)}
        </label>
      ))}
    </span>
  );
}

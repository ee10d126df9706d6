import { randomUUID } from "node:crypto";
import { Option } from "commander";
import { LonghaulError } from "../../../job/error.ts";
import type { Json } from "../../../job/json.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import type { CommandEntry } from "../command-table.ts";
import { defineCommand } from "../command.ts";
import { followJob } from "../follow/follow-job.ts";
import { addNotifyOptions, toNotifyRequest, type NotifyOptions } from "../options/notify-options.ts";
import { collect, readDuration } from "../options/option-values.ts";

type Verb = AnswerOf<"kind_list">["kinds"][number]["verbs"][number];

/** A command for each way to start a job that the server knows, with the flags that its schema tells. */
export function startCommands({ kinds }: AnswerOf<"kind_list">): CommandEntry[] {
  return kinds.flatMap(({ verbs }) => verbs.map(toEntry));
}

function toEntry(verb: Verb): CommandEntry {
  const fields = fieldsOf(verb);
  const command = defineCommand<Record<string, unknown> & NotifyOptions>({
    describe: (described) => {
      described.option("-d, --detach", "print the id and do not wait");
      for (const field of fields) described.addOption(toOption(field));
      addNotifyOptions(described);
      described.addHelpText("after", "\nCtrl-C leaves the job running.");
    },
    run: async (cli, options) => {
      const given = fields.map((field) => [field.name, options[new Option(field.flag).attributeName()]]);
      // Lets the call be made again when the server dies in the middle of it, without starting twice.
      const input = { ...Object.fromEntries(given), ...toNotifyRequest(options), idempotency_key: randomUUID() };
      const job = await cli.client.start(verb.name, input);
      const isDetached = options["detach"] === true;
      return followJob(cli, job, {
        ...(isDetached ? { detach: true } : {}),
        ...(options["json"] === true ? { json: true } : {}),
        output: {},
        onSuccess: ({ result }) => {
          if (hasMoreToSay(result)) cli.screen.printJson(result);
        },
      });
    },
  });
  const summary = `${verb.description.charAt(0).toLowerCase()}${verb.description.slice(1).replace(/\.$/, "")}`;
  return { name: verb.name.replaceAll("_", "-"), summary, load: async () => command };
}

/** What a command says with its exit code is not said twice. */
export function hasMoreToSay(result: Json | undefined): boolean {
  return result !== undefined && result !== null && !(typeof result === "object" && "exit_code" in result);
}

interface Field {
  readonly name: string;
  readonly flag: string;
  readonly isDuration: boolean;
  readonly schema: Readonly<Record<string, Json>>;
}

/** Flags of every command, and what is made here. */
const taken: ReadonlySet<string> = new Set(["json", "help", "detach", "idempotency_key", "notify", "notify_on"]);

function fieldsOf({ input }: Verb): Field[] {
  const properties = Object.entries((input["properties"] ?? {}) as Record<string, Field["schema"]>);
  return properties
    .filter(([name]) => !taken.has(name))
    .map(([name, schema]) => {
      const isDuration = name.endsWith("_ms");
      return { name, isDuration, schema, flag: `--${name.replace(/_ms$/, "").replaceAll("_", "-")}` };
    });
}

function toOption({ flag, isDuration, schema }: Field): Option {
  const { type, enum: choices, description, items } = schema;
  const told = typeof description === "string" ? description.replace(/\.$/, "") : "";
  const text = `${told.charAt(0).toLowerCase()}${told.slice(1)}`;
  if (type === "boolean") return new Option(flag, text);
  if (isDuration) return new Option(`${flag} <time>`, text).argParser(readDuration);
  if (Array.isArray(choices)) return new Option(`${flag} <choice>`, text).choices(choices.map(String));
  if (type === "string") return new Option(`${flag} <text>`, text);
  if (type === "integer" || type === "number") return new Option(`${flag} <number>`, text).argParser(Number);
  const isListOfTexts = type === "array" && (items as Field["schema"] | undefined)?.["type"] === "string";
  if (isListOfTexts)
    return new Option(`${flag} <text>`, text === "" ? "may be repeated" : `${text}; may be repeated`).argParser(
      collect,
    );
  return new Option(`${flag} <json>`, text).argParser((json: string) => readJson(flag, json));
}

function readJson(flag: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new LonghaulError("invalid_input", `${flag} must be JSON, got "${text.slice(0, 60)}".`, { cause: error });
  }
}

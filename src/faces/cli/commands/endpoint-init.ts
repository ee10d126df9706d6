import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { LonghaulError } from "../../../job/error.ts";
import { addEndpoint } from "../add-to-config.ts";
import { askServer } from "../ask-server.ts";
import { defineCommand } from "../command.ts";
import { endpointExamples } from "../endpoint-examples.ts";
import type { Front } from "../front.ts";

interface InitOptions {
  readonly python?: true;
  readonly typescript?: true;
  readonly warm?: true;
  readonly print?: true;
}

export const endpointInit = defineCommand<InitOptions, [name: string]>({
  describe: (command) => {
    command
      .argument("<name>", "of the endpoint, and of the folder for its handler")
      .option("--python", "a handler in Python (unless --typescript is given)")
      .option("--typescript", "a handler for Node, with types in its comments")
      .option("--warm", "keep the worker from job to job")
      .option("--print", "print the configuration entry, and leave config.json as it is");
  },
  run: async (front, options, name) => {
    const { screen, environment } = front;
    check(name, options);
    const example = endpointExamples[options.typescript === true ? "typescript" : "python"];
    const folder = resolve(name);
    const file = join(folder, example.file);
    if (existsSync(file)) throw new LonghaulError("conflict", `${file} is there already: choose another name.`);
    const entry = {
      type: "local",
      argv: example.argv(file),
      cwd: folder,
      mode: options.warm === true ? "warm" : "per_job",
      concurrency: 1,
    };
    const { config } = environment.paths;
    const backup = options.print === true ? undefined : addEndpoint(config, name, entry);
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, example.text);
    const isRunning = options.print !== true && (await askServer(front)) !== undefined;
    if (options.json === true) screen.printJson({ name, file, entry, ...(options.print === true ? {} : { config }) });
    else tell(front, { name, file, entry, backup, isAdded: options.print !== true, isRunning });
  },
});

function check(name: string, { python, typescript }: InitOptions): void {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw new LonghaulError("invalid_input", `A name is 1 to 64 letters, digits, "_" or "-", got "${name}".`);
  }
  if (python === true && typescript === true) {
    throw new LonghaulError("invalid_input", "Give --python or --typescript, not both.");
  }
}

interface Told {
  readonly name: string;
  readonly file: string;
  readonly entry: object;
  readonly backup: string | undefined;
  readonly isAdded: boolean;
  readonly isRunning: boolean;
}

function tell({ screen, environment }: Front, { name, file, entry, backup, isAdded, isRunning }: Told): void {
  screen.note(`Wrote ${file}.`);
  screen.print(JSON.stringify({ endpoints: { [name]: entry } }, null, 2));
  if (!isAdded) return;
  screen.note(`Added it to ${environment.paths.config}${backup === undefined ? "" : ` (before: ${backup})`}.`);
  const restart = isRunning ? "longhaul server restart && " : "";
  screen.note(`Try it: ${restart}longhaul endpoint run ${name} '{"text":"hello world"}'`);
}

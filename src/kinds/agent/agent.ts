import type { ClientDefaults } from "../../job/client-defaults.ts";
import { LonghaulError } from "../../job/error.ts";
import { JobFailure, messageOf } from "../../job/failure.ts";
import { defineKind, type ChildRequest, type Kind } from "../../job/kind.ts";
import type { ReadData } from "../../job/read-data.ts";
import { createShownTexts, type Redactor } from "../../text/redact.ts";
import { checkModels } from "./check-models.ts";
import { agentContract, modelsOf, type AgentInput, type ModelCheck } from "./contract.ts";
import { createModelClient, type ModelClient } from "./model/call-model.ts";
import { findModels, modelLabel } from "./model/model-names.ts";
import { findPrice } from "./model/prices.ts";
import { programs } from "./programs/programs.ts";
import { runProgram } from "./programs/run-program.ts";
import { createReadData, type ReadDataOptions } from "./read-data.ts";
import { runLoop } from "./run-loop.ts";
import { createRunRedactor } from "./run-redactor.ts";
import type { AgentSettings } from "./settings.ts";
import { ConfinedFiles } from "./tools/confined-files.ts";
import { toValidator } from "./tools/ending-tools.ts";

export interface AgentKind {
  readonly kind: Kind;
  readonly check: (
    references: readonly string[],
    signal?: AbortSignal,
    client?: ClientDefaults,
  ) => Promise<ModelCheck[]>;
  /** Reads data out of a page for other kinds. */
  readonly createReadData: (options: ReadDataOptions) => ReadData | undefined;
  readonly close: () => Promise<void>;
}

/** Long tasks for a model with tools, or for an installed agent program. They go on after a restart from their last finished step. */
export function createAgentKind(settings: AgentSettings): AgentKind {
  const sharedClient = createModelClient(settings.providers);
  const clientFor = (own: AgentSettings): ModelClient =>
    own === settings ? sharedClient : createModelClient(own.providers);
  const kind = defineKind({
    ...agentContract,
    onInterrupt: "resume",
    concurrency: settings.concurrency,
    // An agent has ended when its command has.
    limits: { graceMs: settings.termGraceMs + 15_000 },
    keeps: ["env", "keys"],
    confines: settings.confines,
    check: (input, { client, isConfined }) => {
      openFiles(input.cwd ?? client.cwd, isConfined, settings);
      checkInput(input, withKeys(settings, client), client.env?.["PATH"]);
    },
    cwdOf: (input, { client }) => settings.resolveCwd(input.cwd, client.cwd),
    starts: ({ read_only: readOnly, backend }) => (readOnly === true && backend === undefined ? [] : ["shell"]),
    conceal: (input) => concealInput(input, settings.redactor),
    run: async (input, given) => {
      const isConfined = settings.confinesCommands();
      const context = { ...given, spawn: (child: ChildRequest) => given.spawn({ ...child, isConfined }) };
      const files = openFiles(input.cwd ?? context.cwd, context.isConfined, settings);
      const redactor = await createRunRedactor(files, settings.redactor, Object.values(context.client?.keys ?? {}));
      const own = withKeys(settings, context.client);
      const parts = { input, context, files, settings: { ...own, redactor } };
      const model = clientFor(own);
      try {
        return input.backend === undefined
          ? await runLoop(parts, model)
          : await runProgram(programs[input.backend], parts, model);
      } catch (thrown) {
        throw concealFailure(thrown, redactor);
      } finally {
        if (model !== sharedClient) await model.close();
      }
    },
  });
  return {
    kind,
    check: async (references, signal, caller) => {
      const own = withKeys(settings, caller);
      const model = clientFor(own);
      try {
        return await checkModels(references, own, model, signal);
      } finally {
        if (model !== sharedClient) await model.close();
      }
    },
    createReadData: (options) => createReadData(sharedClient, settings, options),
    close: sharedClient.close,
  };
}

/** The server's own providers go before those that a client brings a key for. */
function withKeys(settings: AgentSettings, client: ClientDefaults | undefined): AgentSettings {
  const brought = settings.readProviders?.(client?.keys ?? {}) ?? {};
  if (Object.keys(brought).length === 0) return settings;
  return { ...settings, providers: { ...brought, ...settings.providers } };
}

/** Everything that can be refused is refused before a job is made. */
function checkInput(input: AgentInput, settings: AgentSettings, path: string | undefined): void {
  if (input.output_schema !== undefined) toValidator(input.output_schema);
  if (input.backend !== undefined) {
    const { command, isMetered } = programs[input.backend];
    if (input.ask !== undefined && input.read_only !== true) {
      throw new LonghaulError(
        "invalid_input",
        `ask cannot be kept by ${command}, which asks nobody while it runs by itself: leave ask or backend out, or set read_only.`,
      );
    }
    if (!settings.hasProgram(command, path)) {
      throw new LonghaulError(
        "invalid_input",
        `The backend "${input.backend}" needs the program "${command}", which is not on ${path === undefined ? "the server's" : "your"} PATH: install it, or leave backend out.`,
      );
    }
    if (isMetered || (input.max_steps ?? input.max_tokens ?? input.max_cost_usd) === undefined) return;
    throw new LonghaulError(
      "invalid_input",
      `max_steps, max_tokens and max_cost_usd cannot be enforced: ${command} does not say what it uses while it runs. Limit its time (timeout_ms), or choose another backend.`,
    );
  }
  const choices = findModels(modelsOf(input), settings);
  const unpriced = choices.find((choice) => findPrice(choice, settings.prices) === undefined);
  if (input.max_cost_usd !== undefined && unpriced !== undefined) {
    const name = modelLabel(unpriced);
    throw new LonghaulError(
      "invalid_input",
      `max_cost_usd cannot be enforced: no price is known for ${name}. Set agent.prices["${name}"] in the configuration, or limit max_tokens.`,
    );
  }
}

/** Every file that the server can read would be an agent's to tell: whoever is not this machine's user is let into chosen folders only. */
function openFiles(cwd: string | undefined, isConfined: boolean, settings: AgentSettings): ConfinedFiles {
  if (isConfined && !settings.hasRoots) {
    throw new LonghaulError(
      "not_allowed",
      "This server runs agents only for this machine's user until agent.roots in its configuration says where those of others may work.",
    );
  }
  return new ConfinedFiles(settings.resolveCwd(cwd), settings.secretFiles, settings.hidden());
}

/** Providers like to quote the key that they refuse. Without its cause, which may quote it too. */
function concealFailure(thrown: unknown, redactor: Redactor): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const message = redactor.text(messageOf(thrown));
  if (thrown instanceof LonghaulError) return new LonghaulError(thrown.code, message);
  if (!(thrown instanceof JobFailure)) return new JobFailure("error", message);
  const { code, retryable, details } = thrown;
  return new JobFailure(code, message, { retryable, details });
}

function concealInput(input: AgentInput, redactor: Redactor): AgentInput {
  const show = createShownTexts(redactor);
  return {
    ...input,
    task: show(input.task),
    ...(input.context === undefined ? {} : { context: show(input.context) }),
    ...(input.output === undefined ? {} : { output: show(input.output) }),
  };
}

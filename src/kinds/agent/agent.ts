import { LonghaulError } from "../../job/error.ts";
import { JobFailure, messageOf } from "../../job/failure.ts";
import { defineKind, type Kind } from "../../job/kind.ts";
import type { ReadData } from "../../job/read-data.ts";
import type { Redactor } from "../../text/redact.ts";
import { checkModels, type CheckedModel } from "./check-models.ts";
import { agentInputSchema, agentResultSchema, type AgentInput } from "./input.ts";
import { createModelClient } from "./model/call-model.ts";
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
  readonly check: (references: readonly string[], signal?: AbortSignal) => Promise<CheckedModel[]>;
  /** Reads data out of a page for other kinds. */
  readonly createReadData: (options: ReadDataOptions) => ReadData | undefined;
  readonly close: () => Promise<void>;
}

/** Long tasks for a model with tools, or for an installed agent program. They go on after a restart from their last finished step. */
export function createAgentKind(settings: AgentSettings): AgentKind {
  const client = createModelClient(settings.providers);
  const kind = defineKind({
    name: "agent",
    input: agentInputSchema,
    result: agentResultSchema,
    onInterrupt: "resume",
    concurrency: settings.concurrency,
    // An agent has ended when its command has.
    limits: { graceMs: settings.termGraceMs + 15_000 },
    check: (input) => checkInput(input, settings),
    starts: ({ readOnly, backend }) => (readOnly && backend === undefined ? [] : ["shell"]),
    conceal: (input) => concealInput(input, settings.redactor),
    run: async (input, context) => {
      const files = new ConfinedFiles(settings.resolveCwd(input.cwd), settings.secretFiles);
      const redactor = await createRunRedactor(files, settings.redactor);
      const parts = { input, context, files, settings: { ...settings, redactor } };
      try {
        return input.backend === undefined
          ? await runLoop(parts, client)
          : await runProgram(programs[input.backend], parts, client);
      } catch (thrown) {
        throw concealFailure(thrown, redactor);
      }
    },
  });
  return {
    kind,
    check: (references, signal) => checkModels(references, settings, client, signal),
    createReadData: (options) => createReadData(client, settings, options),
    close: client.close,
  };
}

/** Everything that can be refused is refused before a job is made. */
function checkInput(input: AgentInput, settings: AgentSettings): void {
  settings.resolveCwd(input.cwd);
  if (input.outputSchema !== undefined) toValidator(input.outputSchema);
  if (input.backend !== undefined) {
    const { command, isMetered } = programs[input.backend];
    if (!settings.hasProgram(command)) {
      throw new LonghaulError(
        "invalid_input",
        `The backend "${input.backend}" needs the program "${command}", which is not on the server's PATH: install it, or leave backend out.`,
      );
    }
    if (isMetered || (input.maxSteps ?? input.maxTokens ?? input.maxCostUsd) === undefined) return;
    throw new LonghaulError(
      "invalid_input",
      `max_steps, max_tokens and max_cost_usd cannot be kept: ${command} does not tell what it uses while it runs. Limit its time (timeout_ms), or choose another backend.`,
    );
  }
  const choices = findModels(input.models, settings);
  const unpriced = choices.find((choice) => findPrice(choice, settings.prices) === undefined);
  if (input.maxCostUsd !== undefined && unpriced !== undefined) {
    const name = modelLabel(unpriced);
    throw new LonghaulError(
      "invalid_input",
      `max_cost_usd cannot be kept: no price is known for ${name}. Set agent.prices["${name}"] in the configuration, or limit max_tokens.`,
    );
  }
}

/** Providers like to quote the key that they refuse. Without its cause, which may quote it too. */
function concealFailure(thrown: unknown, redactor: Redactor): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const message = redactor.text(messageOf(thrown));
  if (thrown instanceof LonghaulError) return new LonghaulError(thrown.code, message);
  if (!(thrown instanceof JobFailure)) return new JobFailure("error", message);
  const { code, retryable, details } = thrown;
  return new JobFailure(code, message, { retryable, ...(details === undefined ? {} : { details }) });
}

function concealInput(input: AgentInput, redactor: Redactor): AgentInput {
  return {
    ...input,
    task: redactor.text(input.task),
    ...(input.context === undefined ? {} : { context: redactor.text(input.context) }),
    ...(input.output === undefined ? {} : { output: redactor.text(input.output) }),
  };
}

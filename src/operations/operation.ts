import type { z } from "zod";
import type { Engine } from "../engine/engine.ts";
import { demand, type Actor, type Demand } from "../engine/access.ts";
import { parseInput } from "../job/issue.ts";
import type { Agents } from "./agents.ts";
import type { Library } from "../library/library.ts";
import type { Endpoints } from "./endpoints.ts";

/** What an operation works with: the engine, and on whose behalf. */
export interface OperationContext {
  readonly engine: Engine;
  readonly actor: Actor;
  readonly server: ServerFacts;
  /** Aborted when the caller is gone. */
  readonly signal?: AbortSignal;
}

export interface ServerFacts {
  readonly version: string;
  readonly startedAt: number;
  readonly home: string;
  readonly url: string | undefined;
  /** The program that runs the jobs in a process of its own, where that is no Longhaul server. */
  readonly program?: string;
  /** What went wrong at the start and keeps something from being offered, a sentence each. */
  readonly problems?: readonly string[];
  /** It was told to stop and takes no more jobs to run, but still answers. */
  readonly isDraining?: () => boolean;
  /** Absent where no agents run. */
  readonly agents?: Agents;
  /** Absent where no jobs run on endpoints. */
  readonly endpoints?: Endpoints;
  /** Absent where analysed pages are not kept. */
  readonly library?: Library;
  /** The page that clients of MCP Apps show beside a job. */
  readonly readCard?: () => Promise<string>;
  /** How its disk and its event loop are. */
  readonly gauges?: Gauges;
  /** Whether pages can be looked at in a browser. */
  readonly hasBrowser?: () => boolean;
}

export interface Gauges {
  readonly disk: () => Promise<Disk | undefined>;
  /** How late the event loop was in the last seconds: half of the times, 99 of 100, and at worst. */
  readonly lag: () => { readonly p50: number; readonly p99: number; readonly max: number };
}

export interface Disk {
  /** Of the database, where that is a file of the server's. */
  readonly databaseBytes?: number;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

interface OperationDefinition<Name extends string, Input extends z.ZodType, Output extends z.ZodType> {
  readonly name: Name;
  readonly scope: Demand;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly run: (context: OperationContext, input: z.output<Input>) => Promise<z.input<Output>>;
}

/** One verb of the product, said once: every face offers it by translating its schemas. */
export interface Operation<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  readonly name: Name;
  /** What a caller must be allowed to do. */
  readonly scope: Demand;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  /** Checks who calls and what is given, and runs. */
  call(context: OperationContext, input: z.input<Input>): Promise<z.input<Output>>;
}

export function defineOperation<const Name extends string, Input extends z.ZodType, Output extends z.ZodType>(
  definition: OperationDefinition<Name, Input, Output>,
): Operation<Name, Input, Output> {
  const { run, ...described } = definition;
  return {
    ...described,
    call: async (context, input) => {
      demand(context.actor, definition.scope);
      return run(context, parseInput(definition.input, input ?? {}, definition.name));
    },
  };
}

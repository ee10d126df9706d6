import { z } from "zod";
import type { Artifact, ArtifactPart } from "./artifact.ts";
import { isBranded } from "./brand.ts";
import type { ClientDefaults } from "./client-defaults.ts";
import { defaultVerbs, type StartVerb } from "./contract.ts";
import { LonghaulError } from "./error.ts";
import type { LogLevel } from "./event.ts";
import type { Failure } from "./failure.ts";
import type { JobId } from "./id.ts";
import { parseInput } from "./issue.ts";
import type { Json } from "./json.ts";
import type { Limits } from "./job.ts";
import type { OutputFile, OutputFileOptions } from "./output.ts";
import type { Answer, Question } from "./question.ts";
import type { Progress, TerminalStatus } from "./state.ts";

/**
 * How a kind goes on after its worker died:
 * `adopt`: the work still runs outside the server and is taken over; `resume`: runs again, from its checkpoint;
 * `restart`: runs again from the start (it must be idempotent); `fail`: ends as failed.
 */
export type OnInterrupt = "adopt" | "resume" | "restart" | "fail";

/** Why a running attempt is told to end. */
export type StopCause =
  | { readonly type: "cancelled"; readonly reason: string }
  | { readonly type: "timed_out"; readonly limit: "run" | "idle" | "total"; readonly limitMs: number }
  /** The engine stops; the job goes on later. A kind that is adopted leaves its work running and throws the signal's reason. */
  | { readonly type: "stopping"; readonly why?: string }
  /** The job was given up here, and may run elsewhere by now: nothing this attempt does counts any more, and what it has started is to end. */
  | { readonly type: "lease_lost" };

export interface OutputStream {
  /** Appends bytes or text; never throws for a full cap: the middle is dropped and counted. */
  readonly write: (chunk: string | Uint8Array) => void;
}

export interface Checkpoint<State = Json> {
  readonly load: () => Promise<State | undefined>;
  /** Durable when it resolves; replaces the one before. */
  readonly save: (value: State) => Promise<void>;
}

export interface Pieces {
  readonly load: (name: string) => Promise<Uint8Array | undefined>;
  /** Kept when it resolves; replaces what had this name. */
  readonly save: (name: string, content: string | Uint8Array) => Promise<void>;
}

export interface Artifacts {
  /** Whole when it resolves; replaces one of the same name. The name's ending says what it is. */
  readonly save: (name: string, content: string | Uint8Array) => Promise<Artifact>;
  /** Saves a file that comes in parts, within bounds; undefined until the last one is there. */
  readonly savePart: (name: string, part: ArtifactPart) => Promise<Artifact | undefined>;
  readonly list: () => Promise<Artifact[]>;
  readonly read: (name: string) => Promise<Uint8Array>;
}

/** Input for a running attempt, which may be the end of it. */
export interface SentInput {
  readonly bytes: Uint8Array;
  /** With an offset: bytes of one sender that come again at the same offset are taken once. */
  readonly sender?: string;
  readonly offset?: number;
  /** Nothing comes after these bytes. */
  readonly isEnd?: boolean;
}

/** Of a terminal, in characters. */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

export interface AttemptHandlers {
  /** Takes text for the attempt: what a person would type. */
  readonly send?: (text: string) => Promise<void>;
  /** Takes bytes for its standard input, and says how many it has taken: all, unless they have a sender. */
  readonly feed?: (input: SentInput) => Promise<number>;
  /** Gives its terminal another size; without one, has it drawn anew. */
  readonly resize?: (size: WindowSize | undefined) => Promise<void>;
  /** Live facts that no record holds: processes, memory, ports. */
  readonly inspect?: () => Promise<Record<string, Json>>;
  /** A few sentences on where it stands, made because somebody asks: it may cost something. */
  readonly summarize?: () => Promise<string>;
  /** What the work itself may do, from a process of its own that has the attempt's token. */
  readonly inside?: InsideHandlers;
}

/** What a command does to the job that runs it. */
export interface InsideHandlers {
  readonly progress: (progress: Pick<Progress, "percent" | "message" | "counts">) => void;
  /** Asks, unless it was asked under this key before, and waits a while; undefined if there is no answer by then. The question stays. */
  readonly ask: (
    question: Question,
    key: string,
    wait: { readonly ms: number; readonly signal?: AbortSignal },
  ) => Promise<Answer | undefined>;
  readonly saveArtifact: (name: string, part: ArtifactPart) => Promise<Artifact | undefined>;
}

export interface ChildRequest {
  readonly kind: string;
  readonly input: unknown;
  /** Names this child within its parent: a resumed parent that asks again gets the same child. */
  readonly key: string;
  readonly name?: string;
  readonly limits?: Partial<Limits>;
  /** Keeps its commands from the server's own files; a child of a confined job is confined anyway. */
  readonly isConfined?: boolean;
}

/** How a child job ended. */
export interface ChildEnd {
  readonly status: TerminalStatus;
  readonly failure?: Failure;
  /** What a child that succeeded returned. */
  readonly result?: Json;
}

export interface ChildOutput {
  readonly bytes: Uint8Array;
  /** Where to read on. */
  readonly next: number;
  /** Bytes written so far. */
  readonly size: number;
}

/** What a running attempt may do. */
export interface JobContext<State = Json> {
  readonly id: JobId;
  readonly owner: string;
  /** What `cwdOf` said when the job was submitted. */
  readonly cwd?: string;
  /** As much of it as the kind `keeps`. Child jobs have it too. */
  readonly client?: ClientDefaults;
  /** Started for somebody else than this machine's user: its commands must not reach the server's own files. */
  readonly isConfined: boolean;
  readonly attempt: number;
  /** The name of the machine on which it runs. */
  readonly machine: string;
  /** True when this attempt ran before and lost its worker. */
  readonly isInterrupted: boolean;
  readonly limits: Limits;
  /** Aborted with a StopCause as its reason. */
  readonly signal: AbortSignal;
  /** Lets the work outside act on this job, as `inside` of what is served says; absent where the engine gives out none. */
  readonly token?: string;
  readonly now: () => number;
  /** Kept monotonic: a lower percent than before is raised to it. */
  readonly progress: (progress: Progress | ((before: Progress) => Progress)) => void;
  readonly log: (message: string, level?: LogLevel) => void;
  /** Tells the watchdog that the job lives, where neither output nor progress shows it. */
  readonly touch: () => void;
  readonly output: (stream?: string) => OutputStream;
  /**
   * A file for a process of its own to append to, so that its output passes through nobody and outlives the engine. One that
   * is kept whole has no cap: the kind bounds it by itself.
   */
  readonly outputFile: (stream: string, options?: OutputFileOptions) => OutputFile;
  /** A folder of this attempt on this machine, for what cannot leave it; it is kept as long as the job's output. */
  readonly folder: () => string;
  /** What the attempt goes on from besides its checkpoint, on whichever machine. */
  readonly pieces: Pieces;
  /** Files for others to read, kept as long as the job. */
  readonly artifacts: Artifacts;
  /** What callers may do with this attempt while it runs. */
  readonly serve: (handlers: AttemptHandlers) => void;
  /**
   * Asks and waits; the question and its answer survive a restart. Rejects when the attempt is told to stop. `onAsked` is called once
   * the question is stored.
   */
  readonly ask: (question: Question, key?: string, onAsked?: () => void) => Promise<Answer>;
  readonly checkpoint: Checkpoint<State>;
  /** Submits a child job; it is cancelled with its parent. */
  readonly spawn: (child: ChildRequest) => Promise<JobId>;
  /**
   * Waits for a child's end; signs of its life count as this attempt's, and a wish of "end" cancels it. When the attempt is
   * told to end, ends the child first and then rejects.
   */
  readonly childEnd: (id: JobId, onChange?: () => Promise<"end" | undefined>) => Promise<ChildEnd>;
  /** What a child has written to a stream, from an offset; a negative one counts from the end. */
  readonly childOutput: (id: JobId, stream: string, from: number) => Promise<ChildOutput>;
  /** How a child has ended; undefined while it has not. */
  readonly childNow: (id: JobId) => Promise<ChildEnd | undefined>;
  /** Waits for a child's end no longer than this; undefined if it has not ended by then. */
  readonly childEndWithin: (id: JobId, ms: number) => Promise<ChildEnd | undefined>;
  /** Hands text to a child that runs, as if somebody typed it. Refused (`conflict`) if it cannot take any. */
  readonly sendToChild: (id: JobId, text: string) => Promise<void>;
  /** Ends a child that is not needed any more, and waits until it has. */
  readonly stopChild: (id: JobId) => Promise<ChildEnd>;
}

const brand = Symbol.for("longhaul.partial");

/** Returned by a kind when only part of its work succeeded; the job still counts as succeeded. */
export class PartialResult<Result = unknown> {
  static [Symbol.hasInstance](value: unknown): boolean {
    return isBranded(value, brand, this, PartialResult);
  }

  get [brand](): true {
    return true;
  }
  readonly result: Result;

  constructor(result: Result) {
    this.result = result;
  }
}

interface KindSettings {
  readonly name: string;
  readonly onInterrupt: OnInterrupt;
  /** How many jobs of this kind run at once on one engine. */
  readonly concurrency?: number;
  /** How many jobs of this kind with the same key run at once. */
  readonly perKey?: number;
  /** For keys that have a limit of their own instead of `perKey`. */
  readonly perKeyOf?: ReadonlyMap<string, number>;
  /** At most this many starts in any window of `perMs`. */
  readonly rate?: { readonly starts: number; readonly perMs: number };
  readonly limits?: Partial<Limits>;
  /** Most bytes of one input, where it is not as many as for the other kinds. */
  readonly maxInputBytes?: number;
  readonly maxResultBytes?: number;
  /** What of the client's defaults is kept with a job, because its attempts need it. */
  readonly keeps?: readonly ("env" | "keys")[];
  /** Jobs of this machine's user may do more than confined ones: who is bound to an owner may not steer those. */
  readonly confines?: boolean;
  /** Ends what attempts have left running on this machine that were given up meanwhile, because it was not heard from. */
  readonly endLeft?: (left: LeftAttempts) => Promise<void>;
}

/** What is known of jobs whose work may still run on this machine though nobody here holds them. */
export interface LeftAttempts {
  /** Undefined for a job that is held here, or that this installation does not know. */
  readonly find: (id: string) => Promise<LeftJob | undefined>;
}

export interface LeftJob {
  readonly id: JobId;
  /** It has ended, here or elsewhere. */
  readonly isEnded: boolean;
  /** All so far, with their folders on this machine. */
  readonly attempts: readonly { readonly attempt: number; readonly folder: string }[];
}

/** What is known of a job that is to be made, besides its input. */
export interface CheckFacts {
  readonly client: ClientDefaults;
  readonly isConfined: boolean;
}

interface KindDefinition<
  Input extends z.ZodType,
  Result extends z.ZodType,
  State extends z.ZodType,
> extends KindSettings {
  readonly input: Input;
  readonly result?: Result;
  /** What its checkpoints look like: they are checked when they are saved, and when they are loaded. */
  readonly checkpoint?: State;
  /** How it is started, besides by its name: as `run_NAME` unless given, where its input is an object. */
  readonly verbs?: readonly StartVerb[];
  /** What a job runs, in one line, from its input as it was sent. */
  readonly summaryOf?: (input: z.input<Input>) => string | undefined;
  /** Tags that every job has, besides those that it is given. */
  readonly tagsOf?: (input: z.output<Input>) => readonly string[];
  /** The priority of a job whose submitter names none. */
  readonly priorityOf?: (input: z.output<Input>) => number | undefined;
  /** The per-key concurrency group of a job whose submitter names none. */
  readonly key?: (input: z.output<Input>) => string | undefined;
  /** Limits that follow from the input, where its submitter names none. */
  readonly limitsOf?: (input: z.output<Input>) => Partial<Limits>;
  /** Refuses, by throwing a LonghaulError, what the schema cannot tell; called before the job is made. */
  readonly check?: (input: z.output<Input>, facts: CheckFacts) => void | Promise<void>;
  /** The folder in which a job works; refuses one that is missing or not allowed. */
  readonly cwdOf?: (input: z.output<Input>, facts: CheckFacts) => string;
  /** The kinds of job that it may start itself: only who may start those may start it. */
  readonly starts?: (input: z.output<Input>) => readonly string[];
  /** The input as it may be shown and searched: with its secrets hidden. */
  readonly conceal?: (input: z.output<Input>) => z.output<Input>;
  readonly run: (
    input: z.output<Input>,
    context: JobContext<z.output<State>>,
  ) => Promise<z.input<Result> | PartialResult<z.input<Result>>>;
}

/** A kind of job as the engine sees it: inputs have passed its schema before `key` and `run` see them. */
export interface Kind extends KindSettings {
  readonly input: z.ZodType;
  readonly result: z.ZodType;
  readonly verbs: readonly StartVerb[];
  readonly summaryOf: (input: unknown) => string | undefined;
  readonly tagsOf: (input: unknown) => readonly string[];
  readonly priorityOf: (input: unknown) => number | undefined;
  readonly key: (input: unknown) => string | undefined;
  readonly limitsOf: (input: unknown) => Partial<Limits>;
  readonly check: (input: unknown, facts: CheckFacts) => void | Promise<void>;
  readonly cwdOf: (input: unknown, facts: CheckFacts) => string | undefined;
  readonly starts: (input: unknown) => readonly string[];
  readonly conceal: ((input: unknown) => unknown) | undefined;
  readonly run: (input: unknown, context: JobContext) => Promise<unknown>;
}

declare const types: unique symbol;

/** A kind that knows what its jobs take and return. */
export interface KindOf<Input, Result> extends Kind {
  /** For the compiler alone. */
  readonly [types]?: { readonly input: Input; readonly result: Result };
}

export function defineKind<
  Input extends z.ZodType,
  Result extends z.ZodType = z.ZodType,
  State extends z.ZodType = z.ZodType<Json>,
>(definition: KindDefinition<Input, Result, State>): KindOf<z.input<Input>, z.output<Result>> {
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(definition.name)) {
    throw new LonghaulError(
      "invalid_input",
      `A kind's name must be 1 to 64 lower-case letters, digits, "-" or "_", got "${definition.name}".`,
    );
  }
  const { summaryOf, tagsOf, priorityOf, key, limitsOf, check, cwdOf, starts, conceal, checkpoint, run, ...settings } =
    definition;
  return {
    ...settings,
    result: definition.result ?? z.unknown(),
    verbs: definition.verbs ?? defaultVerbs(definition.name, definition.input),
    summaryOf: (input) => summaryOf?.(input as z.input<Input>),
    tagsOf: (input) => tagsOf?.(input as z.output<Input>) ?? [],
    priorityOf: (input) => priorityOf?.(input as z.output<Input>),
    key: (input) => key?.(input as z.output<Input>),
    limitsOf: (input) => limitsOf?.(input as z.output<Input>) ?? {},
    check: (input, facts) => check?.(input as z.output<Input>, facts),
    cwdOf: (input, facts) => cwdOf?.(input as z.output<Input>, facts),
    starts: (input) => starts?.(input as z.output<Input>) ?? [],
    conceal: conceal === undefined ? undefined : (input) => conceal(input as z.output<Input>),
    run: (input, context) => run(input as z.output<Input>, withCheckpoint(context, checkpoint)),
  };
}

/** The same context, whose checkpoints pass a schema. What an older version has left and does not fit ends the attempt. */
function withCheckpoint<State extends z.ZodType>(
  context: JobContext,
  schema: State | undefined,
): JobContext<z.output<State>> {
  if (schema === undefined) return context as unknown as JobContext<z.output<State>>;
  const { load, save } = context.checkpoint;
  const typed: Checkpoint<z.output<State>> = {
    load: async () => {
      const value = await load();
      return value === undefined ? undefined : parseInput(schema, value, "The checkpoint");
    },
    save: async (value) => save(parseInput(schema, value, "The checkpoint") as Json),
  };
  // Field by field, since the signal is made when it is first asked for; its own fields, since kinds spread what they are given.
  const fields = { ...Object.getOwnPropertyDescriptors(context), checkpoint: { value: typed, enumerable: true } };
  return Object.defineProperties({}, fields) as JobContext<z.output<State>>;
}

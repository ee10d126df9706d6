import type { z } from "zod";
import type { Scope } from "../../engine/access.ts";
import type { Operation } from "../../operations/operation.ts";

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;
export type Fields = Readonly<Record<string, unknown>>;

interface Place {
  readonly method: "GET" | "POST" | "DELETE";
  /** As OpenAPI writes it: "/v1/jobs/{id}". */
  readonly path: string;
  readonly tag: string;
}

/** An operation at an address: where the fields of its input come from, and how its output is told. */
export interface OperationRoute extends Place {
  readonly operation: Operation;
  /** Where the fields come from that are not in the path. */
  readonly fields: "query" | "body";
  /** The `id` of the path is the one entry of the operation's list `ids`. */
  readonly isOneOfMany?: true;
  /** What a body may be, where it is more than the operation's input. */
  readonly body?: z.ZodType;
  /** Request headers that are taken, by what they mean. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly toInput?: (fields: Fields, headers: RequestHeaders) => unknown;
  reply?(output: unknown, fields: Fields): Reply;
  /** The status of success, and others that are no errors; 200 unless given. */
  readonly statuses?: readonly number[];
  /** What it answers with `Accept: text/event-stream`. */
  readonly live?: "events" | "output" | "changes";
  /** Answers `Accept: text/plain` with the bytes themselves, and takes ranges of them. */
  readonly isRaw?: true;
  /** Answers `Accept: application/x-ndjson` with the pages of a crawl, one per line. */
  readonly hasLines?: true;
  /** Answers with the bytes of a file, whatever form is asked for. */
  readonly isFile?: true;
  /** The answer may take long: the operation is told when the caller has gone. */
  readonly isSlow?: true;
}

/** Lets the compiler hold how the output is told against what the operation answers. */
export function toldRoute<Output extends z.ZodType>(
  route: Omit<OperationRoute, "operation" | "reply"> & {
    readonly operation: Operation<string, z.ZodType, Output>;
    readonly reply: (output: z.input<Output>, fields: Fields) => Reply;
  },
): OperationRoute {
  return route;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Pages that are about the server itself and no operation. */
export type PageName = "health" | "readiness" | "metrics" | "openapi" | "docs";

export interface PageRoute extends Place {
  readonly page: PageName;
  readonly summary: string;
  /** Undefined: anybody may ask, without a token. */
  readonly scope: Scope | undefined;
  readonly type: string;
  readonly statuses: readonly number[];
}

export type Route = OperationRoute | PageRoute;

/** The names in the path: "/v1/jobs/{id}/wait" has `id`. */
export function pathFields(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

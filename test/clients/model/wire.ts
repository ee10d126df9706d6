import type { ModelRequest, Reply } from "./scripted-model.ts";

/** One provider's way to say it over HTTP. */
export interface Wire {
  readonly matches: (path: string) => boolean;
  readonly read: (body: unknown) => ModelRequest;
  /** The events of a streamed reply. */
  readonly stream: (reply: Reply, id: string) => readonly WireEvent[];
  /** The reply as one document, for those who do not stream. */
  readonly whole: (reply: Reply, id: string) => unknown;
}

export interface WireEvent {
  readonly name?: string;
  readonly data: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

export function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

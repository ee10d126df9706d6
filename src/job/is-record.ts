import type { Json } from "./json.ts";

/** An object with fields: neither null nor a list. */
export function isRecord(value: Json | undefined): value is { [name: string]: Json };
export function isRecord(value: unknown): value is Record<string, unknown>;
export function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

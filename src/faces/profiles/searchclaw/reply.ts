import { isRecord } from "../../../job/is-record.ts";
import type { Json } from "../../../job/json.ts";

export type Reply = Record<string, Json>;

/** What a job was asked, what it returned, how long that took and what SearchClaw would count for it. */
export interface Facts {
  readonly input: Reply;
  readonly result: Reply;
  readonly responseMs: number;
  readonly credits: number;
}

/** The objects of a list in a result. */
export function listOf(value: Json | undefined): Reply[] {
  return Array.isArray(value) ? value.filter((item) => isRecord(item)) : [];
}

export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

export function countOf(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}

import { signal } from "@preact/signals";
import type { AnswerOf } from "../../../../operations/registry.ts";
import { call } from "./api.ts";

export type Kind = AnswerOf<"kind_list">["kinds"][number];

/** Who is logged in, and what they may. */
export interface Me {
  readonly by?: string | undefined;
  readonly owner?: string | undefined;
  readonly scope: "read" | "run" | "admin";
  readonly kinds?: readonly string[] | undefined;
}

export const me = signal<Me | undefined>(undefined);
export const kinds = signal<readonly Kind[]>([]);

export async function loadKinds(): Promise<void> {
  kinds.value = (await call("kind_list", {})).kinds;
}

export function mayRun(): boolean {
  return me.value !== undefined && me.value.scope !== "read";
}

export function isAdmin(): boolean {
  return me.value?.scope === "admin";
}

import { signal } from "@preact/signals";
import type { AnswerOf } from "../../../../operations/registry.ts";
import { call } from "./api.ts";

export type Kind = AnswerOf<"kind_list">["kinds"][number];

/** Who is logged in, and what they may. */
export const me = signal<AnswerOf<"me_get"> | undefined>(undefined);
export const kinds = signal<readonly Kind[]>([]);

export async function loadMe(): Promise<void> {
  me.value = await call("me_get", {});
}

export async function loadKinds(): Promise<void> {
  kinds.value = (await call("kind_list", {})).kinds;
}

export function mayRun(): boolean {
  return me.value !== undefined && me.value.scope !== "read";
}

export function isAdmin(): boolean {
  return me.value?.scope === "admin";
}

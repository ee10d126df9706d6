import type { ParsedPage } from "./parse-plan.ts";

/** Replies come in the order of the requests. */
export type WorkerReply = { readonly page: ParsedPage } | { readonly error: string };

import { parentPort } from "node:worker_threads";
import { messageOf } from "../../../job/failure.ts";
import { compilePlan, parsePage, type CompiledPlan } from "./parse-page.ts";
import type { ParsePlan, ParseRequest, WorkerReply } from "./parse-plan.ts";

/** The thread that parses. One plan after another, usually the same. */
let current: { readonly text: string; readonly compiled: Promise<CompiledPlan> } | undefined;

parentPort?.on("message", (request: ParseRequest) => void answer(request));

async function answer(request: ParseRequest): Promise<void> {
  try {
    if (current?.text !== request.plan) {
      current = { text: request.plan, compiled: compilePlan(JSON.parse(request.plan) as ParsePlan) };
    }
    reply({ page: parsePage(request, await current.compiled) });
  } catch (error) {
    reply({ error: messageOf(error) });
  }
}

function reply(message: WorkerReply): void {
  // Copied: for messages of this size that costs less than handing memory over.
  parentPort?.postMessage(message, []);
}

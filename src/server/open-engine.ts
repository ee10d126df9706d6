import { createEngine, type Engine } from "../engine/engine.ts";
import type { EngineOptions } from "../engine/settings.ts";
import type { WebhookOptions } from "../engine/webhooks/webhook-settings.ts";
import { defined } from "../job/defined.ts";
import { toJobView } from "../operations/job-view.ts";
import { openStore, type StoreChoice } from "./open-store.ts";
import { createWebhookSender } from "./post.ts";

export interface OpenOptions extends Omit<EngineOptions, "store" | "webhooks">, StoreChoice {
  /** Lets jobs have webhooks. */
  readonly webhooks?: WebhookOptions;
  /** Hosts, addresses and ranges that may be reached though they are not public. */
  readonly netAllow?: readonly string[];
}

/** Opens an engine on an embedded database. Only one engine at a time can have a folder open. */
export async function openEngine(given: OpenOptions): Promise<Engine> {
  const { home, outputCapBytes, postgres, role, webhooks, netAllow, ...options } = given;
  const store = await openStore({ home, ...defined({ outputCapBytes, postgres, role }) });
  try {
    if (webhooks === undefined) return await createEngine({ ...options, store });
    const { close, ...postman } = createWebhookSender(webhooks, netAllow);
    const engine = await createEngine({ ...options, store, webhooks: { ...webhooks, ...postman, view: toJobView } });
    const stop = async (): Promise<void> => {
      await engine.stop();
      await close();
    };
    return { ...engine, stop };
  } catch (error) {
    await store.close();
    throw error;
  }
}

import { createEngine } from "../engine/engine.ts";
import { toTypedEngine, type TypedEngine } from "../engine/typed-engine.ts";
import type { EngineOptions } from "../engine/settings.ts";
import type { WebhookOptions } from "../engine/webhooks/webhook-settings.ts";
import { defined } from "../job/defined.ts";
import { toJobView } from "../operations/job-view.ts";
import type { Store } from "../store/store.ts";
import { openStore, type StoreChoice } from "./open-store.ts";
import { createWebhookSender } from "./post.ts";

export interface OpenOptions extends Omit<EngineOptions, "store" | "webhooks">, StoreChoice {
  /** Lets jobs have webhooks. */
  readonly webhooks?: WebhookOptions;
  /** Hosts, addresses and ranges that may be reached though they are not public. */
  readonly netAllow?: readonly string[];
}

/** Opens an engine on an embedded database. Only one engine at a time can have a folder open. */
export async function openEngine(given: OpenOptions): Promise<TypedEngine> {
  return openEngineOn(given, (store) => store);
}

/** As `openEngine`, on whatever is made of the store. */
export async function openEngineOn(given: OpenOptions, wrap: (store: Store) => Store): Promise<TypedEngine> {
  const { home, outputCapBytes, postgres, role, webhooks, netAllow, ...options } = given;
  const store = wrap(await openStore({ home, ...defined({ outputCapBytes, postgres, role }) }));
  try {
    if (webhooks === undefined) return toTypedEngine(await createEngine({ ...options, store }));
    const { close, ...postman } = createWebhookSender(webhooks, netAllow);
    const engine = await createEngine({ ...options, store, webhooks: { ...webhooks, ...postman, view: toJobView } });
    const stop = async (): Promise<void> => {
      await engine.stop();
      await close();
    };
    return toTypedEngine({ ...engine, stop });
  } catch (error) {
    await store.close();
    throw error;
  }
}

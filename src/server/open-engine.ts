import { join, resolve } from "node:path";
import { createEngine } from "../engine/engine.ts";
import { toTypedEngine, type TypedEngine } from "../engine/typed-engine.ts";
import type { EngineOptions } from "../engine/settings.ts";
import type { WebhookOptions } from "../engine/webhooks/webhook-settings.ts";
import { toJobView } from "../operations/job-view.ts";
import type { Store } from "../store/store.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import { createWebhookSender } from "./post.ts";

export interface OpenOptions extends Omit<EngineOptions, "store" | "webhooks"> {
  /** The folder that holds the database and the jobs' output; made if it is not there. */
  readonly home: string;
  /** Most bytes kept of one output stream of one attempt. */
  readonly outputCapBytes?: number;
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
  const { home, outputCapBytes, webhooks, netAllow, ...options } = given;
  const file = join(resolve(home), "longhaul.db");
  const store = wrap(await openSqliteStore(outputCapBytes === undefined ? { file } : { file, outputCapBytes }));
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

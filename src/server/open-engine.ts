import { resolve } from "node:path";
import { createEngine, type Engine } from "../engine/engine.ts";
import { toTypedEngine, type TypedEngine } from "../engine/typed-engine.ts";
import type { EngineOptions } from "../engine/settings.ts";
import type { WebhookOptions } from "../engine/webhooks/webhook-settings.ts";
import { defined } from "../job/defined.ts";
import type { Store } from "../store/store.ts";
import { lockHome, readMachineName } from "./home.ts";
import { openStore, type StoreChoice } from "./open-store.ts";
import { readVersion } from "./version.ts";

export interface OpenOptions extends Omit<EngineOptions, "store" | "webhooks">, StoreChoice {
  /** Lets jobs have webhooks. */
  readonly webhooks?: WebhookOptions;
  /** Hosts, addresses and ranges that may be reached though they are not public. */
  readonly netAllow?: readonly string[];
}

/** Opens an engine on an embedded database, or on one that machines share. Only one engine at a time can have a folder open. */
export async function openEngine(given: OpenOptions): Promise<TypedEngine> {
  return openEngineOn(given, (store) => store);
}

/** As `openEngine`, on whatever is made of the store. */
export async function openEngineOn(given: OpenOptions, wrap: (store: Store) => Store): Promise<TypedEngine> {
  const home = resolve(given.home);
  const { postgres, role, outputCapBytes } = given;
  const release = await lockHome(home, { isShared: postgres !== undefined });
  try {
    const store = wrap(await openStore({ home, ...defined({ outputCapBytes, postgres, role }) }));
    const engine = await createOn({ machine: readMachineName(home), version: readVersion(), ...given, store });
    const stop = async (): Promise<void> => {
      await engine.stop();
      release();
    };
    return toTypedEngine({ ...engine, stop });
  } catch (error) {
    release();
    throw error;
  }
}

async function createOn({
  webhooks,
  netAllow,
  ...options
}: Omit<OpenOptions, "home"> & { store: Store }): Promise<Engine> {
  try {
    if (webhooks === undefined) return await createEngine(options);
    // Most programs have no webhooks, and every program waits for what is loaded.
    const [{ createWebhookSender }, { toJobView }] = await Promise.all([
      import("./post.ts"),
      import("../operations/job-view.ts"),
    ]);
    const { close, ...postman } = createWebhookSender(webhooks, netAllow);
    const engine = await createEngine({ ...options, webhooks: { ...webhooks, ...postman, view: toJobView } });
    const stop = async (): Promise<void> => {
      await engine.stop();
      await close();
    };
    return { ...engine, stop };
  } catch (error) {
    await options.store.close();
    throw error;
  }
}

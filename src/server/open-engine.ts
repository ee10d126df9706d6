import { resolve } from "node:path";
import { createEngine, type Engine } from "../engine/engine.ts";
import type { EngineOptions } from "../engine/settings.ts";
import type { WebhookOptions } from "../engine/webhooks/webhook-settings.ts";
import { defined } from "../job/defined.ts";
import { toJobView } from "../operations/job-view.ts";
import { lockHome, readMachineName } from "./home.ts";
import { openStore, type StoreChoice } from "./open-store.ts";
import { createWebhookSender } from "./post.ts";
import { readVersion } from "./version.ts";

export interface OpenOptions extends Omit<EngineOptions, "store" | "webhooks">, StoreChoice {
  /** Lets jobs have webhooks. */
  readonly webhooks?: WebhookOptions;
  /** Hosts, addresses and ranges that may be reached though they are not public. */
  readonly netAllow?: readonly string[];
}

/** Opens an engine on an embedded database, or on one that machines share. Only one engine at a time can have a folder open. */
export async function openEngine({ home, webhooks, netAllow, ...given }: OpenOptions): Promise<Engine> {
  const folder = resolve(home);
  const release = await lockHome(folder, { isShared: given.postgres !== undefined });
  try {
    const engine = await openOn(folder, given, webhooks && { ...webhooks, ...createWebhookSender(webhooks, netAllow) });
    const stop = async (): Promise<void> => {
      await engine.stop();
      release();
    };
    return { ...engine, stop };
  } catch (error) {
    release();
    throw error;
  }
}

async function openOn(
  home: string,
  given: Omit<OpenOptions, "home" | "webhooks" | "netAllow">,
  webhooks: (WebhookOptions & ReturnType<typeof createWebhookSender>) | undefined,
): Promise<Engine> {
  const { outputCapBytes, postgres, ...options } = given;
  const store = await openStore({ home, ...defined({ outputCapBytes, postgres, role: options.role }) });
  const engineOptions: EngineOptions = { machine: readMachineName(home), version: readVersion(), ...options, store };
  try {
    if (webhooks === undefined) return await createEngine(engineOptions);
    const { close, ...rest } = webhooks;
    const engine = await createEngine({ ...engineOptions, webhooks: { ...rest, view: toJobView } });
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

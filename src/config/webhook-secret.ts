import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { checkWebhookSecret } from "../job/webhook.ts";
import type { LoadedConfig } from "./config.ts";

/** The installation's secret: the configured one, else the one in its file, which is made when it is first needed. */
export function readWebhookSecret({ webhooks, paths }: Pick<LoadedConfig, "webhooks" | "paths">): string {
  if (webhooks.secret !== undefined) return webhooks.secret;
  const file = paths.webhookSecret;
  if (!existsSync(file)) makeSecret(file);
  const secret = readFileSync(file, "utf8").trim();
  checkWebhookSecret(secret, `The text in ${file}`);
  return secret;
}

/** Linked into its place when it is whole: of two that make it at once, one wins and both read the same. */
function makeSecret(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `whsec_${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

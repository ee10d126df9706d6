import { randomBytes } from "node:crypto";
import { checkWebhookSecret } from "../job/webhook.ts";
import type { LoadedConfig } from "./config.ts";
import { checkFile } from "./private-files.ts";
import { readOrMakeFile } from "./whole-file.ts";

/** The installation's secret: the configured one, else the one in its file, which is made when it is first needed. */
export function readWebhookSecret({ webhooks, paths }: Pick<LoadedConfig, "webhooks" | "paths">): string {
  if (webhooks.secret !== undefined) return webhooks.secret;
  const file = paths.webhookSecret;
  checkFile(file, { isSecret: true });
  const secret = readOrMakeFile(file, () => `whsec_${randomBytes(32).toString("base64")}\n`);
  checkWebhookSecret(secret, `The text in ${file}`);
  return secret;
}

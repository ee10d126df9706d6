import type { Post } from "../engine/webhooks/webhook-settings.ts";

/** Reads nothing of the reply but its head, so that no reply is too long. */
export const post: Post = async (url, headers, body, signal) => {
  const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
  await response.body?.cancel();
  return { status: response.status, headers: Object.fromEntries(response.headers) };
};

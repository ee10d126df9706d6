import { signal } from "@preact/signals";
import type { AnswerOf, InputOf, OperationName } from "../../../../operations/registry.ts";

/** What the server refused, in its own sentence. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  /** The field of the input that is wrong, if it is one. */
  readonly field: string | undefined;

  constructor(status: number, code: string, message: string, field?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

const storageKey = "longhaul.session";

/** The half of the session that scripts of this origin alone can read; the other half is a cookie that none can. */
export const session = signal<string | undefined>(localStorage.getItem(storageKey) ?? undefined);

export function keepSession(text: string | undefined): void {
  session.value = text;
  if (text === undefined) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, text);
}

/** Another tab has logged in or out. */
addEventListener("storage", ({ key, newValue }) => {
  if (key === storageKey) session.value = newValue ?? undefined;
});

export async function logIn(shown: { code: string } | { token: string }): Promise<void> {
  const { headers, body } =
    "token" in shown
      ? { headers: { authorization: `Bearer ${shown.token}` }, body: "{}" }
      : { headers: {}, body: JSON.stringify(shown) };
  const init = { method: "POST", body, headers: { ...headers, "content-type": "application/json" } };
  const response = await send("/v1/session", init);
  keepSession(((await response.json()) as { session: string }).session);
}

export async function logOut(): Promise<void> {
  const id = session.value?.split(".")[0];
  if (id !== undefined) await call("session_revoke", { session: id }).catch(() => undefined);
  keepSession(undefined);
}

/** Calls an operation of the server. */
export async function call<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  stopped?: AbortSignal,
): Promise<AnswerOf<Name>> {
  return (await post(`/call/${name}`, input, stopped)) as AnswerOf<Name>;
}

/** Starts a job by a verb, which may be one of a kind that this page does not know. */
export async function post(path: string, input: unknown, stopped?: AbortSignal): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await request(path, {
    method: "POST",
    body: JSON.stringify(input),
    headers,
    signal: stopped ?? null,
  });
  return response.json();
}

/** A request with the session; without a session that counts there is none, and the login is shown. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const shown = session.value ?? "";
  const headers = { ...(init.headers as Record<string, string> | undefined), "x-longhaul-session": shown };
  try {
    return await send(path, { ...init, headers });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && session.value === shown) keepSession(undefined);
    throw error;
  }
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, { ...init, credentials: "same-origin" }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "away", "The server does not answer. What you see is kept, and goes on when it is back.");
  });
  if (response.ok) return response;
  const told = (await response.json().catch(() => ({}))) as {
    detail?: string;
    code?: string;
    details?: { field?: string };
  };
  const message = told.detail ?? `The server answered with ${response.status}.`;
  throw new ApiError(response.status, told.code ?? "", message, told.details?.field);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export async function artifactBlob(id: string, name: string): Promise<Blob> {
  return (await request(`/v1/jobs/${encodeURIComponent(id)}/artifacts/${encodeURIComponent(name)}`)).blob();
}

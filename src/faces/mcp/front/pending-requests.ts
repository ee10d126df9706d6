import { toFailure, type Message, type Request, type RequestId } from "./message.ts";

interface Pending {
  readonly request: Request;
  /** How many servers have ended while they worked on it. */
  losses: number;
  /** Of a `subscriptions/listen`: the client knows that it is heard. */
  isAcknowledged: boolean;
  isToolChangeDue: boolean;
  /** What the client was told last of how far it is. */
  progress: number;
}

/** A call that ends every server it is put to must not go on doing so. */
const maxLosses = 5;
/** Whatever a call starts is started once under this name, however often the call is made. */
export const callKeyName = "longhaul/call";
const subscriptionKey = "io.modelcontextprotocol/subscriptionId";

/** Methods that change nothing, or change the same when they are repeated. */
const repeatable =
  /^(initialize|ping|completion\/complete|logging\/setLevel|server\/discover|subscriptions\/listen|(resources|prompts|tasks)\/\w+(\/\w+)?|tools\/list)$/;

/** The client's requests that have no answer yet, in the order in which they came. */
export class PendingRequests {
  readonly #byId = new Map<RequestId, Pending>();
  readonly #newKey: () => string;

  constructor(newKey: () => string) {
    this.#newKey = newKey;
  }

  /** Somebody waits for an answer; a subscription is none, it lasts. */
  get isAnyWaiting(): boolean {
    return [...this.#byId.values()].some(({ request }) => request.method !== "subscriptions/listen");
  }

  has(id: RequestId): boolean {
    return this.#byId.has(id);
  }

  /** The request as it is to be sent, now or when a server is there. */
  add(request: Request): Request {
    const keyed = request.method === "tools/call" ? withKey(request, this.#newKey()) : request;
    this.#byId.set(request.id, {
      request: keyed,
      losses: 0,
      isAcknowledged: false,
      isToolChangeDue: false,
      progress: -Infinity,
    });
    return keyed;
  }

  all(): Request[] {
    return [...this.#byId.values()].map(({ request }) => request);
  }

  take(id: RequestId): Request | undefined {
    const pending = this.#byId.get(id);
    this.#byId.delete(id);
    return pending?.request;
  }

  takeAll(): Request[] {
    const requests = this.all();
    this.#byId.clear();
    return requests;
  }

  drop(id: RequestId): void {
    this.#byId.delete(id);
  }

  /** The server has ended. Forgets what must not be repeated, and returns what its callers are told. */
  interrupt(onceOnly: readonly string[]): Message[] {
    const failures: Message[] = [];
    for (const [id, pending] of this.#byId) {
      pending.losses++;
      const failure = failureOf(pending, onceOnly);
      if (failure === undefined) continue;
      this.#byId.delete(id);
      failures.push(toFailure(pending.request, failure));
    }
    return failures;
  }

  /** False for what the client has heard before from an earlier server. */
  isNews({ method, params }: Message): boolean {
    if (method === "notifications/subscriptions/acknowledged") {
      const listen = this.#byId.get(params?._meta?.[subscriptionKey] as RequestId);
      const wasAcknowledged = listen?.isAcknowledged === true;
      if (listen !== undefined) listen.isAcknowledged = true;
      return !wasAcknowledged;
    }
    if (method !== "notifications/progress") return true;
    const pending = [...this.#byId.values()].find(
      ({ request }) => request.params?._meta?.["progressToken"] === params?.["progressToken"],
    );
    const progress = Number(params?.["progress"]);
    if (pending === undefined) return true;
    if (progress <= pending.progress) return false;
    pending.progress = progress;
    return true;
  }

  /** Notes that subscribers to the list of tools are to hear of a change. */
  markToolsChanged(): void {
    for (const pending of this.#byId.values()) {
      const { method, params } = pending.request;
      const wanted = params?.["notifications"] as { toolsListChanged?: unknown } | undefined;
      pending.isToolChangeDue = method === "subscriptions/listen" && wanted?.toolsListChanged === true;
    }
  }

  /** What marks a message as meant for each of the subscriptions that are to hear of a change now; not before they are acknowledged. */
  takeDueToolChanges(): Record<string, unknown>[] {
    const due = [...this.#byId.values()].filter((pending) => pending.isToolChangeDue && pending.isAcknowledged);
    for (const pending of due) pending.isToolChangeDue = false;
    return due.map(({ request }) => ({ [subscriptionKey]: request.id }));
  }
}

function withKey(request: Request, key: string): Request {
  const { params } = request;
  return { ...request, params: { ...params, _meta: { ...params?._meta, [callKeyName]: key } } };
}

function failureOf({ request, losses }: Pending, onceOnly: readonly string[]): string | undefined {
  const { method, params } = request;
  const name = method === "tools/call" ? String(params?.["name"]) : method;
  const canRepeat = method === "tools/call" ? !onceOnly.includes(name) : repeatable.test(method);
  if (!canRepeat) {
    return `The Longhaul server ended in the middle of this call, so it is not known whether ${name} took effect. The server is running again: look at the job before you repeat the call.`;
  }
  if (losses < maxLosses) return undefined;
  return `The Longhaul server ended ${losses} times in the middle of this call of ${name}; it is not made again.`;
}

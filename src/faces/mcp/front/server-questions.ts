import type { Message, Request, RequestId } from "./message.ts";

/**
 * What servers ask the client (revisions before 2026-07-28 do). Each server counts its requests from the start, so that the next one
 * would use a name that the client still has in mind: the client is shown names of the front's own.
 */
export class ServerQuestions {
  readonly #toClient: (message: Message) => void;
  /** The server's name of each request that the client has not answered, by the name that the client knows. */
  readonly #open = new Map<RequestId, RequestId>();
  #count = 0;

  constructor(toClient: (message: Message) => void) {
    this.#toClient = toClient;
  }

  open(request: Request): Message {
    const id = `longhaul/${++this.#count}`;
    this.#open.set(id, request.id);
    return { ...request, id };
  }

  /** The answer as the server expects it; undefined if the server that asked is gone. */
  close(answer: Message): Message | undefined {
    const known = answer.id ?? "";
    const id = this.#open.get(known);
    this.#open.delete(known);
    return id === undefined ? undefined : { ...answer, id };
  }

  /** Whoever asked is gone; the next server asks again if it still wants to know. */
  withdraw(): void {
    for (const id of this.#open.keys()) this.#toClient(toCancelled(id));
    this.#open.clear();
  }

  /** A server's word that it no longer wants an answer. */
  renameCancelled(message: Message): Message {
    if (message.method !== "notifications/cancelled") return message;
    const [known] = [...this.#open].find(([, id]) => id === message.params?.["requestId"]) ?? [];
    if (known === undefined) return message;
    this.#open.delete(known);
    return { ...message, params: { ...message.params, requestId: known } };
  }
}

function toCancelled(requestId: RequestId): Message {
  const params = { requestId, reason: "The Longhaul server ended before it heard the answer." };
  return { jsonrpc: "2.0", method: "notifications/cancelled", params };
}

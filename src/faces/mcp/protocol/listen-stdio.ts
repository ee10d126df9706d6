import { CLIENT_CAPABILITIES_META_KEY, type RequestId } from "@modelcontextprotocol/server";
import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from "@modelcontextprotocol/server";
import type { JobsConnection } from "../connection.ts";
import {
  acknowledge,
  grantTasks,
  isAcknowledgement,
  parseListen,
  refuseMany,
  startListening,
  subscriptionOf,
} from "./listening.ts";
import type { ListenMessage, ListenRequest } from "./listening.ts";
import { hasTasksExtension, missingTasks } from "./protocol-names.ts";

interface Subscription {
  readonly listen: ListenRequest;
  readonly ended: AbortController;
}

/** A transport between the SDK and a stream of lines, which adds to `subscriptions/listen` what concerns jobs. */
export class ListeningTransport implements Transport {
  readonly #wire: Transport;
  readonly #connection: () => JobsConnection;
  readonly #maxTaskIds: number;
  readonly #subscriptions = new Map<RequestId, Subscription>();
  #markClosed: () => void = () => undefined;
  readonly closed = new Promise<void>((resolve) => {
    this.#markClosed = resolve;
  });
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;

  constructor(wire: Transport, connection: () => JobsConnection, maxTaskIds: number) {
    this.#wire = wire;
    this.#connection = connection;
    this.#maxTaskIds = maxTaskIds;
  }

  async start(): Promise<void> {
    Object.assign(this.#wire, {
      onmessage: (message: JSONRPCMessage, extra?: MessageExtraInfo) => this.#receive(message, extra),
      onerror: (error: Error) => this.onerror?.(error),
      onclose: () => {
        this.#endAll();
        this.onclose?.();
        this.#markClosed();
      },
    } satisfies Partial<Transport>);
    await this.#wire.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const subscription = isAcknowledgement(message)
      ? this.#subscriptions.get(subscriptionOf(message) as RequestId)
      : undefined;
    if (subscription === undefined) {
      this.#forgetAnswered(message);
      return this.#wire.send(message, options);
    }
    const { listen, ended } = subscription;
    const connection = this.#connection();
    const granted = await grantTasks(listen.taskIds, connection);
    const ack = acknowledge(message as unknown as ListenMessage, granted, listen.taskIds.length > 0);
    await this.#wire.send(ack, options);
    startListening(listen, granted, connection, ended.signal, (note) => {
      void this.#wire.send(note as unknown as JSONRPCMessage).catch(() => ended.abort());
    });
  }

  async close(): Promise<void> {
    this.#endAll();
    await this.#wire.close();
  }

  #receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    const listen = parseListen(message);
    const refusal = listen === undefined ? undefined : this.#refuse(listen, message);
    if (refusal !== undefined) {
      void this.#wire.send(refusal).catch(() => undefined);
      return;
    }
    if (listen !== undefined) this.#subscriptions.set(listen.id, { listen, ended: new AbortController() });
    this.#dropCancelled(message);
    this.onmessage?.(message, extra);
  }

  #refuse(listen: ListenRequest, message: JSONRPCMessage): JSONRPCMessage | undefined {
    const { id, taskIds } = listen;
    const meta = (message as { params?: { _meta?: Record<string, unknown> } }).params?._meta;
    if (taskIds.length > 0 && !hasTasksExtension(meta?.[CLIENT_CAPABILITIES_META_KEY])) {
      const { code, message: text, data } = missingTasks();
      return { jsonrpc: "2.0", id, error: { code, message: text, data } };
    }
    const excess = refuseMany(listen, this.#maxTaskIds);
    return excess === undefined ? undefined : { jsonrpc: "2.0", id, error: { code: -32_602, message: excess } };
  }

  #dropCancelled(message: JSONRPCMessage): void {
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    const id = (message.params as { requestId?: RequestId } | undefined)?.requestId;
    if (id !== undefined) this.#end(id);
  }

  /** An answer to the listen request, be it a refusal or its end, ends what was listened to. */
  #forgetAnswered(message: JSONRPCMessage): void {
    if (!("method" in message) && message.id !== undefined && message.id !== null) this.#end(message.id);
  }

  #end(id: RequestId): void {
    this.#subscriptions.get(id)?.ended.abort();
    this.#subscriptions.delete(id);
  }

  #endAll(): void {
    for (const id of this.#subscriptions.keys()) this.#end(id);
  }
}

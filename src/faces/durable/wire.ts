/** A message of JSON-RPC, as far as it is looked at here. */
export interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What a server of either SDK is connected to. */
export interface WireTransport {
  start(): Promise<void>;
  send(message: object, options?: { relatedRequestId?: string | number | undefined }): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
}

/** An MCP server of an author's, of either SDK: all that is asked of it is to talk to a transport. */
export interface AnyMcpServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

type Sent = (message: Message, relatedRequestId: string | number | undefined) => void;

/** A transport within this process: the server writes to `onSent`, and reads what `deliver` is given. */
export class InnerTransport implements WireTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  readonly #onSent: Sent;

  constructor(onSent: Sent) {
    this.#onSent = onSent;
  }

  async start(): Promise<void> {
    return undefined;
  }

  async send(message: object, options?: { relatedRequestId?: string | number | undefined }): Promise<void> {
    this.#onSent(message as Message, options?.relatedRequestId);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  deliver(message: Message, extra: object = {}): void {
    // A copy: what the one side changes is not to change under the other.
    this.onmessage?.(structuredClone(message) as never, extra as never);
  }
}

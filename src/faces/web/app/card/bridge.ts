/** What the host is asked, and what it says; JSON-RPC over messages of the window (MCP Apps, 2026-01-26). */
export interface Host {
  readonly request: <Result>(method: string, params: object) => Promise<Result>;
  readonly notify: (method: string, params: object) => void;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

type Told = Readonly<Record<string, ((params: never) => unknown) | undefined>>;

/** Whoever embeds the card is the host: nothing is said to, or heard from, any other window. */
export function connectToHost(told: Told): Host {
  const waiting = new Map<number, (message: Message) => void>();
  let last = 0;
  addEventListener("message", ({ source, data }: MessageEvent<Message>) => {
    if (source !== parent || typeof data !== "object") return;
    const { id, method, params } = data;
    if (method === undefined) {
      waiting.get(Number(id))?.(data);
      return;
    }
    const result = told[method]?.(params as never);
    if (id !== undefined) send({ id, result: result ?? {} });
  });
  return {
    notify: (method, params) => send({ method, params }),
    request: (method, params) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        waiting.set(id, ({ result, error }) => {
          waiting.delete(id);
          if (error === undefined) resolve(result as never);
          else reject(new Error(error.message));
        });
        send({ id, method, params });
      }),
  };
}

function send(message: object): void {
  parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

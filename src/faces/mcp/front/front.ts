import type { Readable, Writable } from "node:stream";
import { ByteLines } from "../../../text/byte-lines.ts";
import { parseMessage, type Message } from "./message.ts";
import { ServerLink, type LinkOptions } from "./server-link.ts";
import { FrontSession } from "./session.ts";
import { readSnapshot } from "./snapshot.ts";

export interface FrontOptions extends Pick<LinkOptions, "socketPath" | "hello" | "startServer" | "retireServer"> {
  /** What the last server answered to a client's first questions, and what this version shipped with. */
  readonly snapshotFiles: { readonly own: string; readonly shipped: string };
  readonly input: Readable;
  readonly output: Writable;
  readonly onFailure: (reason: string) => void;
}

const maxMessageBytes = 16_000_000;
/** Who hangs up may still want the answers to what was asked; but not for long. */
const lastAnswersMs = 2_000;

/**
 * `longhaul mcp`: stands between a client's stdio and the server, and stays when the server dies or is replaced. Clients start it several
 * times per connection, so it must be quick: it imports little, and answers the first questions by itself. Resolves when the client has left.
 */
export async function runMcpFront(options: FrontOptions): Promise<void> {
  const { input, output, snapshotFiles } = options;
  const snapshot = readSnapshot(snapshotFiles.own, snapshotFiles.shipped, options.hello.version);
  let digest = snapshot?.digest;
  const toClient = (message: Message): void => {
    if (output.write(`${JSON.stringify(message)}\n`)) return;
    link.hold(true);
    output.once("drain", () => link.hold(false));
  };
  const session = new FrontSession({
    toClient,
    toServer: (message) => {
      if (link.send(message)) return;
      input.pause();
      link.onDrain(() => input.resume());
    },
    onWaiting: () => link.wake(),
    snapshot,
    newKey: createKeys(),
  });
  const link: ServerLink = new ServerLink({
    ...options,
    isWaiting: () => session.isWaiting,
    onOpen: (welcome) => {
      const isSame = welcome.snapshot === digest;
      digest = welcome.snapshot;
      session.connected(isSame ? undefined : readSnapshot(snapshotFiles.own, snapshotFiles.own, welcome.version));
    },
    onMessage: (message) => session.fromServer(message),
    onClose: () => session.disconnected(),
    onFailure: (reason) => {
      options.onFailure(reason);
      session.fail(reason);
    },
  });
  const running = link.run();
  await readLines(input, output, (line) => takeLine(line, session, toClient));
  const giveUpAt = performance.now() + lastAnswersMs;
  while (session.isWaiting && performance.now() < giveUpAt && !output.destroyed) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  link.end();
  await running;
}

function takeLine(
  { text, isCut }: { text: string; isCut: boolean },
  session: FrontSession,
  toClient: (message: Message) => void,
): void {
  if (text.trim() === "") return;
  const message = isCut ? undefined : parseMessage(text);
  if (message !== undefined) session.fromClient(message);
  else toClient({ jsonrpc: "2.0", id: null, error: isCut ? tooLarge : notAMessage });
}

const tooLarge = { code: -32_600, message: `A message may have at most ${maxMessageBytes} bytes.` };
const notAMessage = { code: -32_700, message: "This line is not a JSON-RPC message." };

/** Resolves when there is nothing left to read, or nobody to answer. */
function readLines(
  input: Readable,
  output: Writable,
  take: (line: { text: string; isCut: boolean }) => void,
): Promise<void> {
  const lines = new ByteLines(maxMessageBytes);
  return new Promise((resolve) => {
    input.on("data", (chunk: Buffer) => lines.push(chunk).forEach(take));
    input.once("end", resolve);
    input.once("close", resolve);
    output.once("error", () => {
      output.destroy();
      resolve();
    });
  });
}

/** Each call gets a name of its own, also beside those of other fronts. */
function createKeys(): () => string {
  let prefix: string | undefined;
  let count = 0;
  // Node loads the code for it only now, which a front that is asked for nothing need not wait for.
  return () => `${(prefix ??= globalThis.crypto.randomUUID())}/${++count}`;
}

import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { checkFolder } from "../../../config/private-files.ts";
import { ByteLines } from "../../../text/byte-lines.ts";
import { parseMessage, type Message } from "./message.ts";

/** What a server says of itself when a front has said hello. */
export interface Welcome {
  readonly version: string;
  readonly pid: number;
  /** Names what the server answers to a client's first questions. */
  readonly snapshot: string;
}

/** A line of the server's that is not for the client. */
interface Aside {
  readonly welcome?: Welcome;
  readonly refused?: string;
  /** The server stops because it was told to. */
  readonly goodbye?: true;
}

export interface LinkOptions {
  readonly socketPath: string;
  readonly hello: {
    readonly version: string;
    readonly profiles?: string;
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
  };
  /** Has a server in the background and resolves when it listens; rejects with one sentence. */
  readonly startServer: () => Promise<void>;
  /** Stops a server that is older than this front, so that it is started anew; undefined if it need not be. */
  readonly retireServer: (welcome: Welcome) => Promise<void> | undefined;
  /** Whether the client waits for an answer. */
  readonly isWaiting: () => boolean;
  readonly onOpen: (welcome: Welcome) => void;
  readonly onMessage: (message: Message) => void;
  readonly onClose: () => void;
  /** No server can be had; tried again when the client next asks for something. */
  readonly onFailure: (reason: string) => void;
}

/** How it ended between this front and the last server. */
type Ending = "never began" | "lost" | "goodbye" | "refused" | "failed";

/** How long to wait before a server is started, while somebody waits for an answer and while nobody does. */
const startAfterMs: Readonly<Record<Ending, { waiting: number; idle: number }>> = {
  "never began": { waiting: 0, idle: 0 },
  // Of many idle fronts, one starts it, and the others find it.
  lost: { waiting: 0, idle: 300 + Math.random() * 1_200 },
  // An upgrade brings the next one; and who stops a server means it, until somebody needs one.
  goodbye: { waiting: 5_000, idle: Infinity },
  refused: { waiting: 0, idle: Infinity },
  failed: { waiting: 500, idle: Infinity },
};
/** How often to look whether somebody else has started a server. */
const lookMs = 500;
const welcomeTimeoutMs = 30_000;
/** A server that hangs up before it has said a word may be about to end; one that always does is broken. */
const maxSilentEnds = 20;

/** Keeps a connection to the server for as long as the client stays, whatever becomes of servers meanwhile. */
export class ServerLink {
  readonly #options: LinkOptions;
  #socket: Socket | undefined;
  #isEnded = false;
  #wake: () => void = () => undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** False if the server does not keep up: `onDrain` then calls when it does. */
  send(message: Message): boolean {
    return this.#socket?.write(`${JSON.stringify(message)}\n`) ?? true;
  }

  onDrain(act: () => void): void {
    this.#socket?.once("drain", act).once("close", act);
  }

  /** Lets the server wait until the client has read what it has sent. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#socket?.pause();
    else this.#socket?.resume();
  }

  /** The client wants something: looks for a server at once. */
  wake(): void {
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#socket?.end();
    this.#wake();
  }

  /** Runs until `end`. */
  async run(): Promise<void> {
    let ending: Ending = "never began";
    let endedAt = performance.now();
    let silentEnds = 0;
    while (!this.#isEnded) {
      const waitMs: number = startAfterMs[ending][this.#options.isWaiting() ? "waiting" : "idle"];
      const isOver: boolean = ending === "refused" && waitMs === Infinity;
      const socket: Socket | undefined = isOver ? undefined : await openSocket(this.#options.socketPath);
      const mayStart = performance.now() - endedAt >= waitMs;
      if (socket === undefined && !mayStart) {
        await this.#sleep(isOver ? Infinity : lookMs);
        continue;
      }
      const served: Ending | "silent" | "started" =
        socket === undefined ? await this.#start() : await this.#serve(socket);
      silentEnds = served === "silent" ? silentEnds + 1 : 0;
      if (silentEnds >= maxSilentEnds) this.#options.onFailure("The Longhaul server accepts no clients; see its log.");
      if (served === "silent") await this.#sleep(lookMs / 10);
      if (served === "started") continue;
      ending = served === "silent" ? "lost" : served;
      endedAt = performance.now();
    }
  }

  async #start(): Promise<"started" | "failed"> {
    try {
      await this.#options.startServer();
      return "started";
    } catch (error) {
      this.#options.onFailure(error instanceof Error ? error.message : String(error));
      return "failed";
    }
  }

  /** Resolves when the connection has ended, with how; `silent` if the server said nothing at all. */
  #serve(socket: Socket): Promise<Ending | "silent"> {
    const { hello, onOpen, onMessage, onClose, onFailure, retireServer } = this.#options;
    const lines = new ByteLines();
    let ending: Ending | "silent" = "silent";
    let isOpen = false;
    const timer = setTimeout(() => socket.destroy(), welcomeTimeoutMs);
    const welcome = (said: Welcome): void => {
      clearTimeout(timer);
      const retiring = retireServer(said);
      ending = retiring === undefined ? "lost" : "never began";
      isOpen = retiring === undefined;
      if (isOpen) onOpen(said);
      else void retiring?.catch((error: Error) => onFailure(error.message)).finally(() => socket.destroy());
    };
    const take = (line: string): void => {
      const message = parseMessage(line);
      const aside = message as Aside | undefined;
      if (message === undefined) return;
      if (isOpen && aside?.goodbye !== true) onMessage(message);
      else if (aside?.goodbye === true) ending = "goodbye";
      else if (aside?.refused !== undefined) {
        ending = "refused";
        onFailure(aside.refused);
      } else if (aside?.welcome !== undefined) welcome(aside.welcome);
    };
    return new Promise((resolve) => {
      this.#socket = socket;
      socket.on("data", (chunk: Buffer) => lines.push(chunk).forEach(({ text }) => take(text)));
      socket.once("error", () => socket.destroy());
      socket.once("close", () => {
        clearTimeout(timer);
        this.#socket = undefined;
        if (isOpen) onClose();
        resolve(ending);
      });
      socket.write(`${JSON.stringify({ hello })}\n`);
    });
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === Infinity ? undefined : setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Undefined when nobody listens, or somebody else could: then starting a server says what is wrong. */
export function openSocket(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    if (!isTrusted(dirname(path))) return resolve(undefined);
    const socket = connect(path);
    socket.once("connect", () => resolve(socket.removeAllListeners("error")));
    socket.once("error", () => resolve(undefined));
  });
}

function isTrusted(folder: string): boolean {
  try {
    checkFolder(folder);
    return true;
  } catch {
    return false;
  }
}

import { isModern, isRequest, toFailure, type Message, type Request, type RequestId } from "./message.ts";
import { PendingRequests } from "./pending-requests.ts";
import { ServerQuestions } from "./server-questions.ts";
import { declaresApps } from "../protocol/apps.ts";
import { answerFrom, type Snapshot } from "./snapshot.ts";

/** Where a request of the newest revision says what its client can do. */
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

export interface SessionOutlets {
  readonly toClient: (message: Message) => void;
  /** Only called while a server is connected. */
  readonly toServer: (message: Message) => void;
  /** A request waits for a server. */
  readonly onWaiting: () => void;
  readonly snapshot: Snapshot | undefined;
  /** Makes a name that no other call has. */
  readonly newKey: () => string;
}

/** Requests that a front makes of its own: their answers are for nobody else. */
const ownPrefix = "longhaul-front/";

/**
 * One client's session, which outlives the servers that serve it. It knows what the client has said that a new server must hear
 * again, and which requests still want an answer.
 */
export class FrontSession {
  readonly #outlets: SessionOutlets;
  readonly #pending: PendingRequests;
  readonly #questions: ServerQuestions;
  readonly #subscribed = new Map<unknown, Message>();
  #snapshot: Snapshot | undefined;
  #initialize: Request | undefined;
  #initialized: Message | undefined;
  #logLevel: Message | undefined;
  #ownRequests = 0;
  #isConnected = false;

  constructor(outlets: SessionOutlets) {
    this.#outlets = outlets;
    this.#snapshot = outlets.snapshot;
    this.#pending = new PendingRequests(outlets.newKey);
    this.#questions = new ServerQuestions(outlets.toClient);
  }

  /** Whether the client waits for an answer. */
  get isWaiting(): boolean {
    return this.#pending.isAnyWaiting;
  }

  fromClient(message: Message): void {
    if (isRequest(message)) this.#ask(message);
    else if (message.method === undefined) this.#reply(message);
    else this.#notify(message);
  }

  fromServer(message: Message): void {
    if (message.method === undefined) this.#answer(message);
    else if (isRequest(message)) this.#outlets.toClient(this.#questions.open(message));
    else this.#announce(message);
  }

  /** A server is there: it hears what the client has said, and is asked what has no answer yet. */
  connected(snapshot?: Snapshot): void {
    this.#isConnected = true;
    if (this.#initialize !== undefined && !this.#pending.has(this.#initialize.id)) this.#sendOwn(this.#initialize);
    if (this.#initialized !== undefined) this.#outlets.toServer(this.#initialized);
    if (this.#logLevel !== undefined) this.#sendOwn(this.#logLevel);
    for (const subscription of this.#subscribed.values()) this.#sendOwn(subscription);
    for (const request of this.#pending.all()) this.#outlets.toServer(request);
    if (snapshot !== undefined) this.#update(snapshot);
  }

  /** The server is gone. What may be asked again is kept for the next one. */
  disconnected(): void {
    this.#isConnected = false;
    this.#questions.withdraw();
    for (const failure of this.#pending.interrupt(this.#snapshot?.onceOnly ?? [])) this.#outlets.toClient(failure);
  }

  /** No server can be had: whoever waits hears why. */
  fail(reason: string): void {
    for (const request of this.#pending.takeAll()) this.#outlets.toClient(toFailure(request, reason));
  }

  #ask(request: Request): void {
    const { method } = request;
    if (method === "initialize") this.#initialize = request;
    // Tools are listed with their cards for clients that show such: only the server knows them so.
    const { params } = isModern(request) ? request : (this.#initialize ?? request);
    const capabilities = params?._meta?.[capabilitiesKey] ?? params?.["capabilities"];
    const hasCards = method === "tools/list" && declaresApps(capabilities);
    const canAnswer = !hasCards && (isModern(request) || this.#initialize !== undefined);
    const answer = canAnswer && this.#snapshot !== undefined ? answerFrom(this.#snapshot, request) : undefined;
    if (answer !== undefined) {
      this.#outlets.toClient(answer);
      if (method === "initialize" && this.#isConnected) this.#sendOwn(request);
      return;
    }
    if (method === "logging/setLevel") this.#logLevel = request;
    const sent = this.#pending.add(request);
    if (this.#isConnected) this.#outlets.toServer(sent);
    else this.#outlets.onWaiting();
  }

  #reply(message: Message): void {
    const reply = this.#questions.close(message);
    if (reply !== undefined && this.#isConnected) this.#outlets.toServer(reply);
  }

  #notify(message: Message): void {
    if (message.method === "notifications/initialized") this.#initialized = message;
    if (message.method === "notifications/cancelled") this.#pending.drop(message.params?.["requestId"] as RequestId);
    if (this.#isConnected) this.#outlets.toServer(message);
  }

  #answer(message: Message): void {
    const { id } = message;
    // A client may have cancelled the request, or it is one of ours.
    const request = id === undefined || id === null ? undefined : this.#pending.take(id);
    if (request === undefined) return;
    if (message.error === undefined) this.#remember(request);
    this.#outlets.toClient(message);
  }

  #remember(request: Request): void {
    const uri = request.params?.["uri"];
    if (request.method === "resources/subscribe") this.#subscribed.set(uri, request);
    if (request.method === "resources/unsubscribe") this.#subscribed.delete(uri);
  }

  #announce(message: Message): void {
    if (!this.#pending.isNews(message)) return;
    this.#outlets.toClient(this.#questions.renameCancelled(message));
    this.#tellSubscribers();
  }

  #sendOwn(request: Message): void {
    this.#outlets.toServer({ ...request, id: `${ownPrefix}${++this.#ownRequests}` });
  }

  /** The client was told what another server, or an earlier one, has to offer. */
  #update(snapshot: Snapshot): void {
    const before = this.#snapshot;
    this.#snapshot = snapshot;
    if (before === undefined || JSON.stringify(before.tools) === JSON.stringify(snapshot.tools)) return;
    if (this.#initialized !== undefined) this.#outlets.toClient(toolsChanged);
    this.#pending.markToolsChanged();
    this.#tellSubscribers();
  }

  #tellSubscribers(): void {
    for (const meta of this.#pending.takeDueToolChanges()) {
      this.#outlets.toClient({ ...toolsChanged, params: { _meta: meta } });
    }
  }
}

const toolsChanged = { jsonrpc: "2.0", method: "notifications/tools/list_changed" } as const;

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { demand, type Actor, type Demand } from "../../engine/access.ts";
import { safetyHeaders, send, type HttpAnswer } from "./answer.ts";
import type { Entry } from "./admission.ts";
import type { Gatekeeper } from "./gatekeeper.ts";
import { describeError, errorForms, HttpError, toHttpError, type ErrorForm } from "./http-error.ts";
import { parseUrl } from "../../job/parse-url.ts";

/** One way in, such as `/v1` or `/mcp`: it knows its addresses, and not who is let in. */
export interface Entrance {
  /** For the record of who did something: "ada (http)". */
  readonly name: string;
  readonly errorForm: ErrorForm;
  /** A token counts without the word "Bearer" before it, too. */
  readonly takesBareToken?: boolean;
  /** What a request asks for; undefined if that is for another entrance to say. */
  readonly find: (request: IncomingMessage, path: string) => Target | Promise<Target> | undefined;
}

/** What a request asks for. */
export interface Target {
  /** What is counted and logged of it. */
  readonly route: string;
  /** What the caller must be allowed to do. Anybody may ask for a probe or a document, without a token. */
  readonly scope: Demand | "anybody";
  /** Answers who was let in; undefined when it writes the response by itself. */
  readonly answer: (exchange: Exchange) => Promise<HttpAnswer | undefined>;
  /** Goes around all that is done with the request, which ends with a status. */
  readonly trace?: (serve: () => Promise<number>) => Promise<void>;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly actor: Actor;
}

export interface DoorParts {
  readonly gatekeeper: Gatekeeper;
  /** The first that knows what a request asks for takes it. */
  readonly entrances: readonly Entrance[];
  readonly onFault: (error: unknown, route: string) => void;
  readonly onAnswered?: (method: string, route: string, status: number) => void;
  /** How often it looks whether those with an open answer would still be let in. */
  readonly recheckMs?: number;
}

const defaultRecheckMs = 5_000;

/** Sees no job and starts none. */
const anybody: Actor = { owner: "", scope: "read", kinds: [] };

type Visit = Omit<Exchange, "actor">;

interface Way {
  readonly entrance: Entrance;
  readonly entry: Entry;
}

/** Every request passes here and is let in or refused; no entrance admits by itself. What goes wrong is told as its entrance tells it. */
export class Door {
  readonly #parts: DoorParts;
  readonly #ways: readonly Way[];
  /** Who is being answered, by a wait or an event stream for instance; by number, because an object that is a key gets a hash, which costs a tenth of a request. */
  readonly #open = new Map<number, { readonly response: ServerResponse; readonly entry: Entry }>();
  #visits = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(parts: DoorParts) {
    this.#parts = parts;
    this.#ways = parts.entrances.map((entrance) => ({
      entrance,
      entry: { door: entrance.name, takesBareToken: entrance.takesBareToken },
    }));
    this.#timer = setInterval(() => void this.#recheck(), parts.recheckMs ?? defaultRecheckMs);
    this.#timer.unref();
  }

  readonly listener: RequestListener = (request, response) => {
    const visit = { request, response, path: pathOf(request) };
    for (const way of this.#ways) {
      const found = way.entrance.find(request, visit.path);
      if (found === undefined) continue;
      if (found instanceof Promise) void found.catch(toFailing).then((target) => this.#receive(way, target, visit));
      else void this.#receive(way, found, visit);
      return;
    }
    const error = new HttpError(404, "not_found", `There is no ${visit.path} here.`);
    send(response, tellError("problem", error, visit.path));
  };

  close(): void {
    clearInterval(this.#timer);
  }

  #receive(way: Way, target: Target, visit: Visit): Promise<unknown> {
    const { trace } = target;
    return trace === undefined ? this.#serve(way, target, visit) : trace(() => this.#serve(way, target, visit));
  }

  async #serve({ entrance, entry }: Way, target: Target, visit: Visit): Promise<number> {
    const { request, response, path } = visit;
    const { onFault, onAnswered } = this.#parts;
    const number = this.#visits++;
    try {
      const actor =
        target.scope === "anybody"
          ? this.#letAnybodyIn(request)
          : await this.#letIn(entry, target.scope, visit, number);
      const answer = await target.answer({ request, response, path, actor });
      if (answer !== undefined) send(response, answer);
    } catch (error) {
      const told = tellError(entrance.errorForm, error, path);
      if (told.status === 500) onFault(error, target.route);
      if (response.headersSent) response.destroy();
      else send(response, told);
    }
    if (response.writableEnded || response.destroyed) this.#open.delete(number);
    else response.once("close", () => this.#open.delete(number));
    onAnswered?.(request.method ?? "", target.route, response.statusCode);
    return response.statusCode;
  }

  #letAnybodyIn(request: IncomingMessage): Actor {
    const refusal = this.#parts.gatekeeper.checkHostAndOrigin(request);
    if (refusal !== undefined) throw toHttpError(refusal);
    return anybody;
  }

  async #letIn(entry: Entry, scope: Demand, { request, response }: Visit, number: number): Promise<Actor> {
    const admission = await this.#parts.gatekeeper.admit(request, entry);
    if ("refusal" in admission) throw toHttpError(admission.refusal);
    demand(admission.actor, scope);
    this.#open.set(number, { response, entry });
    return admission.actor;
  }

  /** Hangs up on those who would not be let in any more. Where it cannot be found out, nothing is taken from anybody. */
  async #recheck(): Promise<void> {
    const looks = [...this.#open.values()].map(async ({ response, entry }) => {
      const admission = await this.#parts.gatekeeper.admit(response.req, { ...entry, isAgain: true });
      if ("refusal" in admission) response.destroy();
    });
    await Promise.allSettled(looks);
  }
}

/** The path of a request, as it was sent. */
export function pathOf({ url = "" }: IncomingMessage): string {
  if (!url.startsWith("/")) return parseUrl(url)?.pathname ?? url;
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

function toFailing(error: unknown): Target {
  const answer = async (): Promise<never> => {
    throw error;
  };
  return { route: "none", scope: "read", answer };
}

function tellError(form: ErrorForm, error: unknown, path: string): HttpAnswer {
  const described = describeError(error);
  const { status = described.status, type = "application/json", body } = errorForms[form](described, path);
  const headers = { ...safetyHeaders, ...described.headers, "content-type": type };
  return { status, body: JSON.stringify(body), headers };
}

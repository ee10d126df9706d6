import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";

/** What a model says to one request. */
export interface Say {
  /** What it thinks before it speaks; only Anthropic's format shows it. */
  readonly thinks?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  /** Its answer ended because it became too long. */
  readonly isCut?: true;
  readonly usage?: { readonly input: number; readonly output: number };
  /** An error instead of an answer. */
  readonly status?: number;
  readonly error?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the connection in the middle of the answer. */
  readonly breaks?: true;
  /** Begins to answer with its text and never ends. */
  readonly hangs?: true;
  /** Said after its text, piece by piece as they come; only in OpenAI's format. */
  readonly slowly?: AsyncIterable<string>;
  /** Resolves when the answer may be given. */
  readonly after?: Promise<unknown>;
}

export interface Heard {
  readonly model: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The request as it was sent. */
  readonly body: Record<string, unknown>;
  /** All of its messages as one text. */
  readonly said: string;
  /** Whether the caller has hung up before the end. */
  isAborted: boolean;
}

type Script = readonly (Say | ((heard: Heard) => Say))[];

/** Speaks the wire formats of OpenAI (chat completions), Anthropic (messages) and Google (generateContent), streamed, as it is told to. */
export class FakeModels {
  readonly heard: Heard[] = [];
  readonly #scripts = new Map<string, (Say | ((heard: Heard) => Say))[]>();
  readonly #server = createServer(
    { keepAliveTimeout: 75_000 },
    (request, response) => void this.#serve(request, response),
  );

  static async open(): Promise<FakeModels> {
    const models = new FakeModels();
    await new Promise<void>((resolve) => models.#server.listen(0, "127.0.0.1", resolve));
    return models;
  }

  /** The base URL of all three APIs. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** What a model says to its next requests; the last answer is said again and again. */
  script(model: string, ...says: Script): void {
    this.#scripts.set(model, [...says]);
  }

  requests(model: string): Heard[] {
    return this.heard.filter((heard) => heard.model === model);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await readAll(request)) as Record<string, unknown>;
    const { url: path = "", headers } = request;
    const [, googleModel] = /\/models\/([^/:]+):streamGenerateContent\?alt=sse$/.exec(path) ?? [];
    const model = googleModel ?? String(body["model"]);
    const said = JSON.stringify([body["system"], body["messages"], body["systemInstruction"], body["contents"]]);
    const heard: Heard = { model, path, headers, body, said, isAborted: false };
    this.heard.push(heard);
    response.on("close", () => (heard.isAborted = !response.writableFinished));
    const script = this.#scripts.get(model) ?? [];
    const next = script.length > 1 ? script.shift() : script[0];
    const say = typeof next === "function" ? next(heard) : (next ?? { status: 404, error: `no model ${model}` });
    await say.after;
    if (say.status !== undefined) {
      response.writeHead(say.status, { "content-type": "application/json", ...say.headers });
      const error = { type: "api_error", code: say.status, status: "ERROR", message: say.error ?? "an error" };
      response.end(JSON.stringify({ type: "error", error }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", ...say.headers });
    const format =
      googleModel !== undefined ? googleEvents : path.endsWith("/messages") ? anthropicEvents : openAiEvents;
    const events = format(say, model);
    for (const event of events) {
      if (event.includes('"finish_reason":"stop"')) await sayOn(response, say.slowly, model);
      response.write(event);
    }
    if (say.breaks === true) response.destroy();
    else if (say.hangs !== true) response.end();
  }
}

async function sayOn(response: ServerResponse, pieces: Say["slowly"], model: string): Promise<void> {
  for await (const content of pieces ?? []) {
    const choices = [{ index: 0, delta: { content } }];
    response.write(
      `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model, choices })}\n\n`,
    );
  }
}

let calls = 0;

function* openAiEvents(say: Say, model: string): Generator<string> {
  const chunk = (choice: object, more: object = {}): string =>
    `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model, choices: [choice], ...more })}\n\n`;
  yield chunk({ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null });
  for (const piece of (say.text ?? "").match(/[^]{1,7}/g) ?? []) yield chunk({ index: 0, delta: { content: piece } });
  if (say.hangs === true || say.breaks === true) return;
  for (const [index, { name, input }] of (say.calls ?? []).entries()) {
    const id = `call_${++calls}`;
    const args = typeof input === "string" ? input : JSON.stringify(input);
    const half = Math.ceil(args.length / 2);
    yield chunk({
      index: 0,
      delta: { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
    });
    for (const piece of [args.slice(0, half), args.slice(half)]) {
      yield chunk({ index: 0, delta: { tool_calls: [{ index, function: { arguments: piece } }] } });
    }
  }
  yield chunk({
    index: 0,
    delta: {},
    finish_reason: say.isCut === true ? "length" : say.calls === undefined ? "stop" : "tool_calls",
  });
  const { input, output } = say.usage ?? { input: 100, output: 10 };
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  yield `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model, choices: [], usage })}\n\n`;
  yield "data: [DONE]\n\n";
}

function* anthropicEvents(say: Say, model: string): Generator<string> {
  const event = (type: string, data: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const { input, output } = say.usage ?? { input: 100, output: 10 };
  const usage = { input_tokens: input, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const head = {
    id: "m1",
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  yield event("message_start", { message: { ...head, usage } });
  let index = 0;
  if (say.thinks !== undefined) {
    yield event("content_block_start", { index, content_block: { type: "thinking", thinking: "", signature: "" } });
    yield event("content_block_delta", { index, delta: { type: "thinking_delta", thinking: say.thinks } });
    yield event("content_block_delta", { index, delta: { type: "signature_delta", signature: "signed" } });
    yield event("content_block_stop", { index });
    index += 1;
  }
  if (say.text !== undefined) {
    yield event("content_block_start", { index, content_block: { type: "text", text: "" } });
    for (const piece of say.text.match(/[^]{1,7}/g) ?? []) {
      yield event("content_block_delta", { index, delta: { type: "text_delta", text: piece } });
    }
    if (say.hangs === true || say.breaks === true) return;
    yield event("content_block_stop", { index });
    index += 1;
  }
  for (const { name, input: args } of say.calls ?? []) {
    yield event("content_block_start", {
      index,
      content_block: { type: "tool_use", id: `toolu_${++calls}`, name, input: {} },
    });
    const json = typeof args === "string" ? args : JSON.stringify(args);
    yield event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: json } });
    yield event("content_block_stop", { index });
    index += 1;
  }
  const stop = say.calls === undefined ? "end_turn" : "tool_use";
  yield event("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: output } });
  yield event("message_stop", {});
}

function* googleEvents(say: Say, model: string): Generator<string> {
  const { input, output } = say.usage ?? { input: 100, output: 10 };
  const chunk = (parts: object[], finishReason?: string): string => {
    const usageMetadata = {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    };
    const candidate = {
      content: { role: "model", parts },
      index: 0,
      finishReason,
    };
    return `data: ${JSON.stringify({ candidates: [candidate], usageMetadata, modelVersion: model })}\r\n\r\n`;
  };
  for (const piece of (say.text ?? "").match(/[^]{1,7}/g) ?? []) yield chunk([{ text: piece }]);
  if (say.hangs === true || say.breaks === true) return;
  for (const { name, input: args } of say.calls ?? []) {
    yield chunk([{ functionCall: { name, args }, thoughtSignature: "signed" }]);
  }
  yield chunk([{ text: "" }], "STOP");
}

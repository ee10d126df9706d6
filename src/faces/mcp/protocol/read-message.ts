import { describeError } from "../../door/http-error.ts";
import { JsonBody } from "../../door/read-body.ts";
import { refuse } from "./refuse.ts";

const defaultMaxBytes = 4_194_304;

/** The body of a message, parsed; or the answer to one that cannot be. What has no JSON in it is left to the SDK. */
export async function readMessage(
  request: Request,
  maxBytes = defaultMaxBytes,
): Promise<{ body: unknown } | { refusal: Response }> {
  const isJson = /^application\/json\s*(?:;|$)/i.test(request.headers.get("content-type") ?? "");
  if (request.method !== "POST" || !isJson || request.body === null) return { body: undefined };
  try {
    const body = new JsonBody(maxBytes);
    for await (const chunk of request.body) body.add(chunk);
    return { body: body.parse() };
  } catch (error) {
    const { status, detail, headers } = describeError(error);
    return { refusal: refuse(status === 500 ? 400 : status, -32_700, `Parse error: ${detail}`, headers) };
  }
}

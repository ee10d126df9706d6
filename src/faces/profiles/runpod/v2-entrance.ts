import { toJsonAnswer, untilGone } from "../../door/answer.ts";
import type { Entrance, Target } from "../../door/door.ts";
import { HttpError } from "../../door/http-error.ts";
import { readBody } from "../../door/read-body.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { findJobOf } from "./runpod-operations.ts";
import { endpointVerbs, jobVerbs, type EndpointVerb, type JobVerb } from "./v2-operations.ts";

type Parts = Pick<OperationContext, "engine" | "server">;

/** Where a request goes; `route` is what is counted and logged of it. */
type Place = { readonly route: string; readonly endpoint: string } & (
  | { readonly verb: EndpointVerb }
  | { readonly verb: JobVerb; readonly id: string }
);

/** RunPod's HTTP API over endpoint jobs, so that its clients run theirs here: `/v2/{endpoint}/run` and so on. */
export function createRunpodEntrance(parts: Parts): Entrance {
  return {
    name: "runpod",
    errorForm: "runpod",
    takesBareToken: true,
    find: ({ method }, path) => {
      if (!path.startsWith("/v2/")) return undefined;
      const place = findPlace(path);
      if (place === undefined) return refuse("none", unknownAddress);
      const { route, verb } = place;
      if (method === verb.method) return { route, scope: verb.scope, answer: createAnswer(place, parts) };
      const message = `This takes ${verb.method}, not ${method ?? ""}.`;
      return refuse(route, new HttpError(405, "method_not_allowed", message, { allow: verb.method }));
    },
  };
}

function createAnswer(place: Place, parts: Parts): Target["answer"] {
  return async ({ request, response, actor }) => {
    const context = { ...parts, actor, signal: untilGone(response) };
    const { endpoint } = place;
    const query = new URLSearchParams(request.url?.split("?", 2)[1]);
    const read = (maxBytes: number): Promise<unknown> => readBody(request, maxBytes);
    const call = { context, endpoint, query, readBody: read };
    if (!("id" in place)) return toJsonAnswer(await place.verb.answer(call));
    const job = await findJobOf(context, endpoint, place.id);
    const { answer, answerElsewhere } = place.verb;
    return toJsonAnswer(
      await (job === undefined ? answerElsewhere(call, { endpoint, id: place.id }) : answer(call, job)),
    );
  };
}

const verbs = [...Object.keys(endpointVerbs), ...Object.keys(jobVerbs).map((verb) => `${verb}/{id}`)];
const unknownAddress = new HttpError(
  404,
  "not_found",
  `There is no such address: /v2/{endpoint}/ takes ${verbs.join(", ")}.`,
);

function refuse(route: string, error: HttpError): Target {
  return { route, scope: "read", answer: () => Promise.reject(error) };
}

function findPlace(path: string): Place | undefined {
  const [, endpoint = "", name = "", id] = /^\/v2\/([\w-]{1,64})\/([a-z-]+)(?:\/([\w-]{1,200}))?$/.exec(path) ?? [];
  const verb = id === undefined && Object.hasOwn(endpointVerbs, name) ? endpointVerbs[name] : undefined;
  const jobVerb = id !== undefined && Object.hasOwn(jobVerbs, name) ? jobVerbs[name] : undefined;
  if (verb !== undefined) return { route: `/v2/{endpoint}/${name}`, endpoint, verb };
  if (jobVerb === undefined || id === undefined) return undefined;
  return { route: `/v2/{endpoint}/${name}/{id}`, endpoint, verb: jobVerb, id };
}

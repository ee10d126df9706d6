import { Agent, request } from "node:http";
import { answerParent } from "../child.ts";
import { median } from "../statistics.ts";

export type Load =
  | {
      readonly type: "finish";
      readonly url: string;
      readonly kind: string;
      readonly body: string;
      readonly jobs: number;
    }
  | {
      readonly type: "latency";
      readonly url: string;
      readonly method: string;
      readonly body?: string;
      readonly times: number;
    };

const connections = 64;
const headers = { authorization: "Bearer bench", "content-type": "application/json" };

/** Answers with jobs per second from the first submit to the last end, or with the median milliseconds of one request after the other. */
answerParent(async (load: Load): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  try {
    return load.type === "finish" ? await finish(load, agent) : await latency(load, agent);
  } finally {
    agent.destroy();
  }
});

async function finish({ url, kind, body, jobs }: Load & { type: "finish" }, agent: Agent): Promise<number> {
  const before = await countDone(url, kind, agent);
  const startedAt = performance.now();
  let left = jobs;
  const submit = async (): Promise<void> => {
    while (left-- > 0) await ask({ url: `${url}/v1/jobs`, method: "POST", body }, agent);
  };
  await Promise.all(Array.from({ length: connections }, submit));
  while ((await countDone(url, kind, agent)) < before + jobs) await new Promise((resolve) => setTimeout(resolve, 50));
  return (jobs / (performance.now() - startedAt)) * 1_000;
}

async function countDone(url: string, kind: string, agent: Agent): Promise<number> {
  const { kinds } = JSON.parse(await ask({ url: `${url}/v1/kinds`, method: "GET" }, agent)) as {
    kinds: { name: string; jobs: Record<string, number> }[];
  };
  return kinds.find(({ name }) => name === kind)?.jobs["succeeded"] ?? 0;
}

async function latency({ times, ...asked }: Load & { type: "latency" }, agent: Agent): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < times; time++) {
    const startedAt = performance.now();
    await ask(asked, agent);
    took.push(performance.now() - startedAt);
  }
  return median(took);
}

function ask({ url, method, body }: { url: string; method: string; body?: string }, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.once("end", () => {
        const { statusCode = 0 } = response;
        if (statusCode < 300) resolve(text);
        else reject(new Error(`${url} was answered with ${statusCode}: ${text}`));
      });
    });
    sending.once("error", reject);
    sending.end(body);
  });
}

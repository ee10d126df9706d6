import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import type { Resolve } from "../../src/net/address/resolver.ts";
import { closeAfterTest } from "./listeners.ts";

export interface NameServer {
  /** Asks this server, and no other. */
  readonly resolve: Resolve;
  /** How often an IPv4 address was asked for. */
  readonly questions: () => number;
}

/** What the server says to the n-th question for a name's IPv4 addresses: addresses, or the name that it is another name for. */
export type Answers = (name: string, question: number) => readonly string[] | { readonly alias: string };

/** A DNS server of the test's own, over UDP, whose answers change as the test likes; every answer has a time to live of zero. */
export async function startNameServer(answers: Answers): Promise<NameServer> {
  let questions = 0;
  const socket = createSocket("udp4");
  socket.on("message", (query, client) => {
    const { name, type, end } = readQuestion(query);
    if (type === 1) questions += 1;
    const records = type === 1 ? answerRecords(name, answers, questions) : [];
    const header = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x84, 0x00, 0, 1, 0, records.length, 0, 0, 0, 0]);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), client.port, client.address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, "127.0.0.1", resolve);
  });
  closeAfterTest(
    () =>
      new Promise((resolve) => {
        socket.close(resolve);
      }),
  );
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    resolve: async (hostname) => (await resolver.resolve4(hostname)).map((address) => ({ address, family: 4 })),
    questions: () => questions,
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let position = 12;
  for (let length = query[position] ?? 0; length > 0; length = query[position] ?? 0) {
    labels.push(query.toString("latin1", position + 1, position + 1 + length));
    position += 1 + length;
  }
  return { name: labels.join("."), type: query.readUInt16BE(position + 1), end: position + 5 };
}

function answerRecords(name: string, answers: Answers, question: number): Buffer[] {
  const answer = answers(name, question);
  if (!("alias" in answer))
    return answer.map((address) => record(name, 1, Buffer.from(address.split(".").map(Number))));
  return [record(name, 5, encodeName(answer.alias)), ...answerRecords(answer.alias, answers, question)];
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), fixed, data]);
}

function encodeName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

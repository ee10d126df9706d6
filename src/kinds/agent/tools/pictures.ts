import { createHash } from "node:crypto";
import type { ConfinedFiles } from "./confined-files.ts";
import type { Message } from "../model/call-model.ts";

/** What a model looks at instead of reading it. The conversation keeps its name, and its bytes are read whenever it is sent. */
export interface Picture {
  readonly path: string;
  readonly mediaType: string;
  readonly digest: string;
}

const mediaTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
};

const scheme = "longhaul-picture:";
/** About what a model is charged for one, in characters of text. */
export const pictureCharacters = 6_000;

export function mediaTypeOf(path: string): string | undefined {
  return mediaTypes[/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""];
}

export async function openPicture(path: string, mediaType: string, files: ConfinedFiles): Promise<Picture> {
  return { path, mediaType, digest: digestOf(await files.readBytes(path)) };
}

/** Said by the user, because not every provider takes pictures as the answers of tools. */
export function toPictureMessage(pictures: readonly Picture[]): Message {
  const shown = pictures.map(({ path }) => path).join(", ");
  const parts = pictures.map(({ path, mediaType, digest }) => ({
    type: "file" as const,
    data: `${scheme}${digest}:${path}`,
    mediaType,
  }));
  return { role: "user", content: [{ type: "text", text: `[What read_file has opened: ${shown}]` }, ...parts] };
}

type Part = Exclude<Extract<Message, { role: "user" }>["content"], string>[number];
type FilePart = Extract<Part, { type: "file" }>;

/** What stands for a picture in the conversation. */
type PictureName = Pick<Picture, "path" | "digest">;

function nameOf(part: Part): PictureName | undefined {
  if (part.type !== "file" || typeof part.data !== "string" || !part.data.startsWith(scheme)) return undefined;
  const [digest = "", ...path] = part.data.slice(scheme.length).split(":");
  return { digest, path: path.join(":") };
}

export function hasPictures(messages: readonly Message[]): boolean {
  return messages.some((message) => countPictures(message) > 0);
}

export function countPictures(message: Message): number {
  return picturesOf(message).length;
}

function picturesOf(message: Message): { name: PictureName; part: FilePart }[] {
  if (message.role !== "user" || typeof message.content === "string") return [];
  return message.content.flatMap((part) => {
    const name = nameOf(part);
    return name === undefined ? [] : [{ name, part: part as FilePart }];
  });
}

/** With the bytes of each picture, or words where it is not there any more as it was. */
export async function withBytes(messages: readonly Message[], files: ConfinedFiles): Promise<Message[]> {
  const texts = new Map<string, Promise<Part | undefined>>();
  const read = async ({ path, digest }: PictureName, mediaType: string): Promise<Part | undefined> => {
    const bytes = await files.readBytes(path).catch(() => undefined);
    if (bytes === undefined || digestOf(bytes) !== digest) return undefined;
    return { type: "file", data: bytes.toString("base64"), mediaType };
  };
  for (const { name, part } of messages.flatMap(picturesOf)) {
    if (!texts.has(name.digest)) texts.set(name.digest, read(name, part.mediaType));
  }
  const known = new Map(await Promise.all([...texts].map(async ([digest, part]) => [digest, await part] as const)));
  return mapPictures(messages, ({ path, digest }) => known.get(digest) ?? words(`${path}: it has changed or is gone`));
}

/** For models that do not see, and where room is short. */
export function withoutPictures(messages: readonly Message[], why: string): Message[] {
  return mapPictures(messages, ({ path }) => words(`${path}: ${why}`));
}

function mapPictures(messages: readonly Message[], change: (name: PictureName) => Part): Message[] {
  return messages.map((message) => {
    if (message.role !== "user" || picturesOf(message).length === 0) return message;
    const content = (message.content as Part[]).map((part) => {
      const name = nameOf(part);
      return name === undefined ? part : change(name);
    });
    return { ...message, content };
  });
}

function words(text: string): Part {
  return { type: "text", text: `[${text}]` };
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 32);
}

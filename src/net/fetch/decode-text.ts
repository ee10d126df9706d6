import { wholeCharacters } from "../../text/whole-characters.ts";

export interface DecodedText {
  readonly text: string;
  /** The encoding's name in the Encoding standard. */
  readonly encoding: string;
}

const sniffedBytes = 1_024;

/**
 * Text from the web. What the bytes begin with counts more than what the server says, and that more than what the document says
 * about itself; without any of them it is UTF-8, or windows-1252 where it cannot be.
 */
export function decodeText(bytes: Uint8Array, contentType = ""): DecodedText {
  const charset = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
  const label = byteOrderMark(bytes) ?? knownLabel(charset) ?? declaredLabel(bytes, contentType);
  return label === undefined ? decodeUnlabelled(bytes) : decodeAs(label, bytes);
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : undefined;
}

/** The standard's name of a label, if it is one that can be decoded. */
function knownLabel(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** What the document says: an XML declaration, or a meta element. Neither can be read if the document were UTF-16. */
function declaredLabel(bytes: Uint8Array, contentType: string): string | undefined {
  if (!/^\s*($|text\/html|[^;]*xml)/i.test(contentType)) return undefined;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, sniffedBytes))
    .toString("latin1")
    .replace(/<!--[\s\S]*?(-->|$)/g, "");
  const xml = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)/i.exec(start)?.[1];
  const meta = /<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start)?.[1];
  const label = knownLabel(xml ?? meta);
  return label?.startsWith("utf-16") === true ? "utf-8" : label;
}

function decodeUnlabelled(bytes: Uint8Array): DecodedText {
  try {
    // A body that was cut off may end within a character, which says nothing about the rest.
    const whole = bytes.subarray(0, wholeCharacters(bytes));
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(whole), encoding: "utf-8" };
  } catch {
    return decodeAs("windows-1252", bytes);
  }
}

function decodeAs(encoding: string, bytes: Uint8Array): DecodedText {
  const decoder = new TextDecoder(encoding);
  // In two steps because Node's short cut for windows-1252 decodes Latin-1 instead; streaming does not take it.
  return { text: decoder.decode(bytes, { stream: true }) + decoder.decode(), encoding };
}

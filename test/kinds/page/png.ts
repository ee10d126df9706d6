import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

/** A grey picture; of noise, which cannot be packed, it has a byte for each pixel. */
export function makePng(width: number, height: number, look: "flat" | "noise"): Buffer {
  const rows = Array.from({ length: height }, () =>
    Buffer.concat([Buffer.of(0), look === "noise" ? randomBytes(width) : Buffer.alloc(width, 120)]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(Buffer.concat(rows));
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

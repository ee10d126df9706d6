/** A value as JSON, with the bytes that it has in fields of its own beside it: what others put into the value is never taken for bytes. */
export interface Packed {
  readonly value?: unknown;
  /** In base64. */
  readonly bytes?: Readonly<Record<string, string>>;
}

export function pack(value: unknown): Packed {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { value };
  const fields = Object.entries(value).filter(([, inner]) => inner instanceof Uint8Array);
  if (fields.length === 0) return { value };
  const rest = Object.fromEntries(Object.entries(value).filter(([, inner]) => !(inner instanceof Uint8Array)));
  const bytes = Object.fromEntries(
    fields.map(([name, inner]) => [name, Buffer.from(inner as Uint8Array).toString("base64")]),
  );
  return { value: rest, bytes };
}

export function unpack({ value, bytes }: Packed): unknown {
  if (bytes === undefined) return value;
  const decoded = Object.entries(bytes).map(([name, text]) => [name, new Uint8Array(Buffer.from(text, "base64"))]);
  return { ...(value as object), ...(Object.fromEntries(decoded) as object) };
}

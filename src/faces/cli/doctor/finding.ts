/** What one check found. A note is nothing to worry about; something bad keeps Longhaul from working. */
export interface Finding {
  readonly name: string;
  readonly status: "ok" | "note" | "bad";
  /** One plain sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}

export function ok(name: string, message: string): Finding {
  return { name, status: "ok", message };
}

export function note(name: string, message: string, advice?: string): Finding {
  return { name, status: "note", message, advice };
}

export function bad(name: string, message: string, advice: string): Finding {
  return { name, status: "bad", message, advice };
}

import type { Json } from "./json.ts";

/** A page, and what is to be found in it. */
export interface DataQuestion {
  readonly url: string;
  readonly text: string;
  readonly schema: { [word: string]: Json };
  readonly prompt: string | undefined;
  /** Is handed the data, and says what does not fit: the model may then try again. */
  readonly take: (data: Json) => string | undefined;
}

interface DataAnswer {
  readonly model: string;
  readonly tokens: number;
  /** Why nothing was taken in the end. */
  readonly problem?: string;
}

/** Lets a language model read data out of a page's text, and tells what that took. One kind does it, another asks for it. */
export type ReadData = (question: DataQuestion, signal: AbortSignal) => Promise<DataAnswer>;

import { expect } from "vitest";

/** Stands for any text that has this one in it, within a larger expectation. */
export const containing = (text: string): string => expect.stringContaining(text) as string;

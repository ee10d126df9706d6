import { z } from "zod";

/** The name of a machine, or a label that machines have: what a job can be pinned to. */
export const placeSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "expected a word of lower-case letters, digits, dots and dashes");

/**
 * What a job takes from the program that started it, where its request says nothing else. Kept apart from the job's input: it
 * is not shown, and the same call from elsewhere is still the same call.
 */
export interface ClientDefaults {
  /** Where the program was started. */
  readonly cwd?: string;
  /** What commands inherit, instead of what the server would hand on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Keys and addresses of services that the server has none of its own for, by the names of their variables. */
  readonly keys?: Readonly<Record<string, string>>;
}

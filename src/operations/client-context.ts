/** Where a caller on this machine stands: what it starts runs there, unless the call says otherwise. */
export interface ClientContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

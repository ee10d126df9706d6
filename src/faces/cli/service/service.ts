import { LonghaulError } from "../../../job/error.ts";

/** What starts the server: a program, its arguments, and the variables that it needs. */
export interface ServiceProgram {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where the service goes, and who asks. */
export interface ServicePlaces {
  readonly home: string;
  /** XDG_CONFIG_HOME, where it is set. */
  readonly configHome: string | undefined;
  readonly uid: number;
  readonly userName: string;
  /** Where programs are looked for. */
  readonly searchPath: string;
}

/** What the system knows of the service; undefined where it does not say. */
export interface ServiceState {
  readonly isEnabled: boolean | undefined;
  readonly isRunning: boolean | undefined;
}

/** What starts programs for a user of this system, and keeps them running. */
export interface ServiceManager {
  /** As people call it. */
  readonly title: string;
  /** The one file that describes the service, and what is to be in it. */
  readonly file: string;
  readonly describe: (program: ServiceProgram) => string;
  /** Whether it can be told anything now: in a container, or over ssh, it may not be there. */
  readonly isAnswering: () => Promise<boolean>;
  /** Has the file read anew, and the service started now and from now on. */
  readonly start: () => Promise<void>;
  /** Ends the service and forgets it. What it has started goes on. */
  readonly stop: () => Promise<void>;
  /** Called when the file has gone: leaves nothing of the service behind. */
  readonly forget: () => Promise<void>;
  readonly state: () => Promise<ServiceState>;
  /** What to run by hand where the manager does not answer. */
  readonly startByHand: string;
  /** When it starts, and what can be done about it. */
  readonly startNote: () => Promise<string>;
}

/** No file of a service can hold what ends a line. */
export function demandPlain(texts: readonly string[]): void {
  const odd = texts.find((text) => /\p{Cc}/u.test(text));
  if (odd === undefined) return;
  throw new LonghaulError(
    "invalid_input",
    `A service cannot be described with control characters in a path or variable, got ${JSON.stringify(odd.slice(0, 200))}.`,
  );
}

export interface OutputSize {
  /** Bytes ever written, dropped ones included. */
  readonly size: number;
  readonly dropped: number;
}

export interface OutputFileOptions {
  /** Nothing of it is ever cut out. */
  readonly isWhole?: boolean;
}

export interface OutputFile {
  readonly path: string;
  /** A file of which everything is kept may not become larger: then `grown` refuses it. */
  readonly maxBytes?: number;
  /**
   * To be called when the file may have grown: tells readers, and cuts out the middle of what exceeds the cap. With `isDurable` it
   * resolves once what is in the file outlives this machine as well, where jobs move between machines.
   */
  readonly grown: (options?: { readonly isDurable?: boolean }) => Promise<OutputSize>;
}

/** Who asks. With an owner, jobs of other owners look as if they did not exist; without, all are visible. */
export interface Access {
  readonly owner?: string;
}

/** As `Access`, with a name for the record of who did it. */
export interface Actor extends Access {
  readonly by?: string;
}

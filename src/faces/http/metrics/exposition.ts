type Labels = Readonly<Record<string, string>>;

export type Sample = readonly [labels: Labels, value: number];

/** A family of figures in Prometheus' text format. */
export function expose(name: string, type: "counter" | "gauge", help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${toLabels(labels)} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

/** Counts by labels; what it counts only rises. */
export class Counter {
  readonly #values = new Map<string, { labels: Labels; value: number }>();

  add(labels: Labels): void {
    const key = Object.values(labels).join("\n");
    const known = this.#values.get(key);
    if (known === undefined) this.#values.set(key, { labels, value: 1 });
    else known.value += 1;
  }

  expose(name: string, help: string): string {
    const samples = [...this.#values.values()].map(({ labels, value }): Sample => [labels, value]);
    return expose(name, "counter", help, samples);
  }
}

/** From what a no-op takes to what a day's work takes. */
const bucketSeconds = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 21_600, 86_400];

/** How long things took, by kind of job. */
export class Histogram {
  readonly #byKind = new Map<string, { counts: number[]; sum: number; count: number }>();

  observe(kind: string, seconds: number): void {
    const known = this.#byKind.get(kind) ?? { counts: bucketSeconds.map(() => 0), sum: 0, count: 0 };
    this.#byKind.set(kind, known);
    const index = bucketSeconds.findIndex((max) => seconds <= max);
    if (index !== -1) known.counts[index] = (known.counts[index] ?? 0) + 1;
    known.sum += seconds;
    known.count += 1;
  }

  expose(name: string, help: string): string {
    const lines = [...this.#byKind].flatMap(([kind, { counts, sum, count }]) => {
      let below = 0;
      const buckets = bucketSeconds.map((max, index) => {
        below += counts[index] ?? 0;
        return `${name}_bucket${toLabels({ kind, le: String(max) })} ${below}`;
      });
      const ends = [`${name}_bucket${toLabels({ kind, le: "+Inf" })} ${count}`];
      return [
        ...buckets,
        ...ends,
        `${name}_sum${toLabels({ kind })} ${sum}`,
        `${name}_count${toLabels({ kind })} ${count}`,
      ];
    });
    return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines, ""].join("\n");
  }
}

function toLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, escapeLabel)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escapeLabel = (character: string): string => (character === "\n" ? "\\n" : `\\${character}`);

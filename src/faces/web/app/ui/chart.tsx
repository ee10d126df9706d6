import type { JSX } from "preact";

export interface Series {
  readonly name: string;
  readonly look: "good" | "bad" | "info" | "dim";
  readonly values: readonly (number | undefined)[];
}

interface ChartProps {
  readonly title: string;
  /** Bars stand on each other, lines do not. */
  readonly form: "bars" | "lines";
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** What a step is called, when it is pointed at. */
  readonly labelOf: (index: number) => string;
  readonly total: string;
}

const width = 320;
const height = 72;

/** Figures over time, with what they come to in words. */
export function Chart({ title, form, series, format, labelOf, total }: ChartProps): JSX.Element {
  const length = Math.max(1, ...series.map(({ values }) => values.length));
  const steps = Array.from({ length }, (_step, index) => series.map(({ values }) => values[index] ?? 0));
  const tops = steps.map((values) =>
    form === "bars" ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values),
  );
  const max = Math.max(1, ...tops);
  const step = width / length;
  const y = (value: number): number => height - (value / max) * (height - 4);
  return (
    <figure class="chart">
      <figcaption>
        <b>{title}</b> <span>{total}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${total}`}>
        {form === "lines" &&
          series.map((one) => <path key={one.name} class={one.look} d={lineOf(one.values, step, y)} />)}
        {steps.map((values, index) => {
          let below = 0;
          const label = `${labelOf(index)}\n${series.map(({ name }, at) => `${name} ${format(values[at] ?? 0)}`).join("\n")}`;
          return (
            <g key={index}>
              {form === "bars" &&
                values.map((value, at) => {
                  const top = y(below + value);
                  const size = y(below) - top;
                  below += value;
                  return value === 0 ? null : (
                    <rect
                      key={at}
                      class={series[at]?.look}
                      x={index * step + 0.5}
                      y={top}
                      width={Math.max(1, step - 1)}
                      height={size}
                    />
                  );
                })}
              <rect class="touch" x={index * step} y={0} width={step} height={height}>
                <title>{label}</title>
              </rect>
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

/** Steps of which nothing is known are left out; a step alone is a dash. */
function lineOf(values: Series["values"], step: number, y: (value: number) => number): string {
  let isDown = false;
  return values
    .map((value, index) => {
      if (value === undefined) {
        isDown = false;
        return "";
      }
      const from = `${isDown ? "L" : "M"}${(index * step).toFixed(1)} ${y(value).toFixed(1)}`;
      isDown = true;
      return `${from}H${((index + 1) * step).toFixed(1)}`;
    })
    .join("");
}

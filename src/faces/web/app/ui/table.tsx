import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface Column<Row> {
  readonly head: string;
  /** A track of the grid. */
  readonly width: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Where a phone's card shows it; not at all unless given. */
  readonly area?: "mark" | "title" | "line" | "side" | "end";
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly hrefOf?: (row: Row) => string;
  /** The row that the keys act on. */
  readonly at?: number;
  readonly isMarked?: (row: Row) => boolean;
  /** The last rows are seen: more are wanted. */
  readonly onEnd?: () => void;
  readonly onScroll?: (top: number) => void;
}

const rowPx = 44;
const cardPx = 84;
/** So many rows are drawn without a look at what is seen. */
const maxPlain = 60;
const spareRows = 8;

/** Rows in a grid. Of long lists only those in sight are drawn, in elements that are used again. */
export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { label, columns, rows, keyOf, at, onEnd } = props;
  const body = useRef<HTMLDivElement>(null);
  const seen = useSignal({ top: 0, height: 800, rowPx });
  const isLong = rows.length > maxPlain;
  const look = (): void => {
    const element = body.current;
    if (element === null) return;
    const height = matchMedia("(max-width: 700px)").matches ? cardPx : rowPx;
    const top = element.scrollTop;
    const { top: oldTop, rowPx: oldPx, height: oldHeight } = seen.peek();
    if (top !== oldTop || height !== oldPx || element.clientHeight !== oldHeight)
      seen.value = { top, height: element.clientHeight, rowPx: height };
    props.onScroll?.(top);
    if (onEnd !== undefined && top + 3 * element.clientHeight > rows.length * height) onEnd();
  };
  useLayoutEffect(() => {
    look();
    addEventListener("resize", look);
    return () => removeEventListener("resize", look);
  });
  useLayoutEffect(() => {
    body.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const { top, height, rowPx: px } = seen.value;
  const first = isLong ? Math.max(0, Math.min(rows.length - 1, Math.floor(top / px) - spareRows)) : 0;
  const last = isLong ? Math.min(rows.length, Math.ceil((top + height) / px) + spareRows) : rows.length;
  const slots = last - first;
  const tracks = { gridTemplateColumns: columns.map(({ width }) => width).join(" ") };
  return (
    <div class="table" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <div class="head" role="row" style={tracks} aria-rowindex={1}>
        {columns.map(({ head }) => (
          <span key={head} role="columnheader">
            {head}
          </span>
        ))}
      </div>
      <div class="body" role="rowgroup" ref={body} onScroll={look} tabIndex={-1}>
        <div style={isLong ? { blockSize: `${rows.length * px}px`, position: "relative" } : {}}>
          {rows.slice(first, last).map((row, offset) => {
            const index = first + offset;
            const place: Record<string, string | number> = isLong
              ? { position: "absolute", insetBlockStart: `${index * px}px`, insetInline: 0 }
              : {};
            return (
              <TableRow
                key={isLong ? index % (slots + 1) : keyOf(row)}
                {...props}
                row={row}
                index={index}
                style={{ ...tracks, ...place }}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

type RowProps<Row> = TableProps<Row> & {
  readonly row: Row;
  readonly index: number;
  readonly style: Readonly<Record<string, string | number | undefined>>;
};

function TableRow<Row>({ columns, row, index, style, at, isMarked, hrefOf }: RowProps<Row>): JSX.Element {
  const isMarkedRow = isMarked?.(row) === true;
  return (
    <div
      class={isMarkedRow ? "row marked" : "row"}
      role="row"
      aria-rowindex={index + 2}
      aria-current={at === index ? "true" : undefined}
      style={style}
    >
      {columns.map(({ head, cell, area }) => (
        <span key={head} role="cell" class={area === undefined ? "wide" : `at-${area}`}>
          {area === "title" && hrefOf !== undefined ? (
            <a class="cover" href={hrefOf(row)}>
              {cell(row)}
            </a>
          ) : (
            cell(row)
          )}
        </span>
      ))}
    </div>
  );
}

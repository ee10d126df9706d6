import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formatBytes, formatCount, visible, webAddress } from "../core/format.ts";
import { Button, tell } from "../ui/parts.tsx";
import { parseLine, type OutputLines, type Span } from "./lines.ts";
import type { JobSource } from "./source.ts";

const linePx = 20;
const spareLines = 12;
/** A line that looks like the first thing that went wrong. */
const errorPattern = /\b(error|fatal|panic|exception|traceback|failed)\b/i;

interface OutputProps {
  readonly source: JobSource;
  readonly attempt?: number | undefined;
  /** From the address: a line to begin at. */
  readonly startLine?: number | undefined;
  readonly onLine?: (line: number) => void;
  readonly isSmall?: boolean;
}

/** A job's output as it is written: the lines in sight, of those that are kept. */
export function Output({ source, attempt, startLine, onLine, isSmall }: OutputProps): JSX.Element {
  const stream = useSignal("merged");
  const lines = source.output.lines.value;
  const { drawn } = source.output;
  const view = useRef<HTMLDivElement>(null);
  const isFollowing = useSignal(startLine === undefined);
  const words = useSignal("");
  const marked = useSignal(startLine === undefined ? -1 : startLine - 1);
  useEffect(() => {
    source.choose({ stream: stream.value, ...(attempt === undefined ? {} : { attempt }) });
  }, [source, stream.value, attempt]);
  useLayoutEffect(() => {
    const element = view.current;
    if (element !== null && isFollowing.value) element.scrollTop = element.scrollHeight;
  }, [drawn.value, isFollowing.value]);
  const show = (index: number | undefined): void => {
    if (index === undefined) return tell("No line matches.");
    isFollowing.value = false;
    marked.value = index + lines.gone;
    view.current?.scrollTo({ top: index * linePx - 60 });
    drawn.value++;
    onLine?.(index + lines.gone + 1);
  };
  useEffect(() => {
    if (startLine !== undefined && lines.size >= startLine && marked.peek() === startLine - 1)
      show(startLine - 1 - lines.gone);
  }, [drawn.value > 0]);
  const search = (step: 1 | -1): void => {
    const wanted = words.value.toLowerCase();
    const from = Math.max(0, marked.value - lines.gone) + (marked.value < 0 ? 0 : step);
    if (wanted !== "") show(lines.find((text) => text.toLowerCase().includes(wanted), from, step));
  };
  const tools = { lines, isFollowing, stream, words, search, show };
  return (
    <div class={isSmall === true ? "output small" : "output"}>
      {isSmall !== true && <Tools {...tools} />}
      <div
        class="lines"
        ref={view}
        tabIndex={0}
        role="log"
        aria-label="Output"
        aria-live="off"
        onScroll={({ currentTarget: element }) => {
          const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 2 * linePx;
          if (isAtEnd !== isFollowing.peek()) isFollowing.value = isAtEnd;
          drawn.value = drawn.peek() + 1;
        }}
      >
        <Lines lines={lines} element={view.current} version={drawn.value} marked={marked.value} words={words.value} />
      </div>
      {lines.size === 0 && <p class="muted quiet">No output yet.</p>}
    </div>
  );
}

interface ToolsProps {
  readonly lines: OutputLines;
  readonly isFollowing: { value: boolean };
  readonly stream: { value: string };
  readonly words: { value: string };
  readonly search: (step: 1 | -1) => void;
  readonly show: (index: number | undefined) => void;
}

function Tools({ lines, isFollowing, stream, words, search, show }: ToolsProps): JSX.Element {
  return (
    <div class="tools" role="toolbar" aria-label="Output">
      <input
        type="search"
        placeholder="Search the output"
        aria-label="Search the output"
        value={words.value}
        onInput={(event) => (words.value = event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && search(event.shiftKey ? -1 : 1)}
      />
      <Button label="First error" keys="e" onPress={() => show(lines.find((text) => errorPattern.test(text), 0, 1))} />
      <label class="check">
        <input
          type="checkbox"
          checked={isFollowing.value}
          onChange={(event) => (isFollowing.value = event.currentTarget.checked)}
        />
        Follow
      </label>
      <select aria-label="Stream" value={stream.value} onChange={(event) => (stream.value = event.currentTarget.value)}>
        <option value="merged">stdout and stderr</option>
        <option value="stdout">stdout</option>
        <option value="stderr">stderr</option>
      </select>
      <Button
        label="Copy"
        icon="copy"
        onPress={async () => {
          await navigator.clipboard.writeText(lines.text());
          tell(`Copied ${formatCount(lines.size)} lines.`);
        }}
      />
      {lines.dropped > 0 && <span class="muted">{formatBytes(lines.dropped)} were dropped in the middle</span>}
    </div>
  );
}

interface LinesProps {
  readonly lines: OutputLines;
  readonly element: HTMLElement | null;
  /** Rises when there is something to draw anew. */
  readonly version: number;
  readonly marked: number;
  readonly words: string;
}

/** Elements are used again by their slot, so that a scroll makes none. */
function Lines({ lines, element, marked, words }: LinesProps): JSX.Element {
  const height = element?.clientHeight ?? 400;
  const isAtEnd = element === null || element.scrollTop + height > (lines.size - 4) * linePx;
  const top = isAtEnd ? Math.max(0, lines.size * linePx - height) : element.scrollTop;
  const first = Math.max(0, Math.floor(top / linePx) - spareLines);
  const last = Math.min(lines.size, Math.ceil((top + height) / linePx) + spareLines);
  const slots = last - first + 1;
  const digits = `${String(lines.gone + lines.size).length + 1}ch`;
  return (
    <div style={{ blockSize: `${lines.size * linePx}px`, "--digits": digits }}>
      {Array.from({ length: last - first }, (_slot, offset) => {
        const index = first + offset;
        const number = index + lines.gone;
        return (
          <div
            key={index % slots}
            class={number === marked ? "line marked" : "line"}
            style={{ transform: `translateY(${index * linePx}px)` }}
          >
            <b>{number + 1}</b>
            {parseLine(lines.at(index)).spans.map((span, place) => (
              <Text key={place} span={span} words={words} />
            ))}
          </div>
        );
      })}
    </div>
  );
}

const addresses = /(https?:\/\/[^\s"'<>]+)/;

function Text({ span, words }: { span: Span; words: string }): JSX.Element {
  const text = visible(span.text);
  if (words !== "" && text.toLowerCase().includes(words.toLowerCase())) {
    const at = text.toLowerCase().indexOf(words.toLowerCase());
    return (
      <span class={span.look}>
        {text.slice(0, at)}
        <mark>{text.slice(at, at + words.length)}</mark>
        {text.slice(at + words.length)}
      </span>
    );
  }
  if (!text.includes("://")) return <span class={span.look}>{text}</span>;
  return (
    <span class={span.look}>
      {text.split(addresses).map((part, index) =>
        webAddress(part) === undefined ? (
          part
        ) : (
          <a key={index} href={part} target="_blank" rel="noreferrer">
            {part}
          </a>
        ),
      )}
    </span>
  );
}

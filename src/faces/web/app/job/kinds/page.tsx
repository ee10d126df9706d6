import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { artifactBlob } from "../../core/api.ts";
import { visible } from "../../core/format.ts";
import type { JobDetail } from "../source.ts";

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Finding {
  readonly id: string;
  readonly topic: string;
  readonly severity: "critical" | "serious" | "moderate" | "minor";
  readonly title: string;
  readonly advice: string;
  readonly count: number;
  readonly boxes?: readonly (Box | null)[];
}

/** As much of an analysis as is shown; other parts may be absent, because their phase failed. */
interface Analysis {
  readonly finalUrl?: string;
  readonly page?: { readonly title?: string; readonly width?: number; readonly height?: number };
  readonly quality?: {
    readonly score: number;
    readonly grade: string;
    readonly axes: Readonly<Record<string, { readonly score: number; readonly grade: string }>>;
    readonly findings: readonly Finding[];
  };
}

/** A page as it was seen, with what was found drawn on it. */
export function PageView({ job }: { readonly job: JobDetail }): JSX.Element | null {
  const analysis = job.result as Analysis | undefined;
  const chosen = useSignal<string | undefined>(undefined);
  const picture = useSignal<string | undefined>(undefined);
  const name = job.artifacts?.find(
    ({ name: file, media_type: type }) => type.startsWith("image/") && /full|page|desktop/.test(file),
  )?.name;
  useEffect(() => {
    if (name === undefined) return undefined;
    let made: string | undefined;
    let isGone = false;
    const load = async (): Promise<void> => {
      const blob = await artifactBlob(job.id, name);
      if (isGone) return;
      made = URL.createObjectURL(blob);
      picture.value = made;
    };
    load().catch(() => undefined);
    return () => {
      isGone = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [job.id, name]);
  if (analysis === undefined) return null;
  const { quality, page } = analysis;
  const findings = quality?.findings ?? [];
  return (
    <section class="kind-view page" aria-label="Analysis">
      <div class="found">
        {quality !== undefined && (
          <p class="scores">
            <Score name="Quality" score={quality.score} grade={quality.grade} />
            {Object.entries(quality.axes).map(([axis, { score, grade }]) => (
              <Score key={axis} name={axis} score={score} grade={grade} />
            ))}
          </p>
        )}
        <ul>
          {findings.map((finding) => (
            <li key={finding.id} class={finding.severity}>
              <button
                type="button"
                aria-pressed={chosen.value === finding.id}
                onClick={() => (chosen.value = chosen.value === finding.id ? undefined : finding.id)}
              >
                <b>{visible(finding.title)}</b>
                <span class="muted">
                  {finding.severity} · {visible(finding.topic)} · {finding.count}×
                </span>
                {chosen.value === finding.id && <span>{visible(finding.advice)}</span>}
              </button>
            </li>
          ))}
        </ul>
      </div>
      {picture.value !== undefined && (
        <div class="picture">
          <img src={picture.value} alt={`The page ${visible(page?.title ?? analysis.finalUrl ?? "")}`} />
          <Boxes findings={findings} chosen={chosen.value} width={page?.width ?? 1_440} height={page?.height ?? 900} />
        </div>
      )}
    </section>
  );
}

function Score({ name, score, grade }: { name: string; score: number; grade: string }): JSX.Element {
  return (
    <span class={`score grade-${grade}`}>
      <b>{Math.round(score)}</b> {visible(name)} <em>{visible(grade)}</em>
    </span>
  );
}

interface BoxesProps {
  readonly findings: readonly Finding[];
  readonly chosen: string | undefined;
  readonly width: number;
  readonly height: number;
}

function Boxes({ findings, chosen, width, height }: BoxesProps): JSX.Element {
  const shown = findings.filter(({ id }) => chosen === undefined || id === chosen);
  return (
    <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {shown.flatMap(({ id, severity, boxes = [] }) =>
        boxes.map((box, index) => (box === null ? null : <rect key={id + String(index)} class={severity} {...box} />)),
      )}
    </svg>
  );
}

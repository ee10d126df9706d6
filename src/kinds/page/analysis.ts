import type { Artifact } from "../../job/artifact.ts";
import type { PhaseName } from "./input.ts";
import type { Layout } from "./layout/analyze-layout.ts";
import type { Motion } from "./motion/analyze-motion.ts";
import type { Quality } from "./quality/analyze-quality.ts";
import type { Responsive } from "./responsive/analyze-responsive.ts";

/** What an analysis found, as it is stored. A part whose phase failed is absent, and `phases` says why. */
export interface PageAnalysis {
  readonly url: string;
  readonly finalUrl: string;
  readonly status: number;
  /** "static" is read from the HTML and CSS alone: nothing was drawn, run or measured. */
  readonly method: "browser" | "static";
  readonly methodReason?: string;
  readonly analyzedAt: string;
  readonly durationMs: number;
  readonly page: PageSummary;
  readonly phases: readonly PhaseReport[];
  readonly layout?: Layout;
  readonly motion?: Motion;
  readonly quality?: Quality;
  readonly responsive?: Responsive;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly artifacts: readonly Artifact[];
}

export interface PageSummary {
  readonly title: string;
  readonly description: string;
  readonly language: string;
  readonly favicon: string;
  readonly ogImage: string;
  readonly width: number;
  readonly height: number;
  readonly elements: number;
  readonly hasWebgl: boolean;
}

export interface PhaseReport {
  readonly name: PhaseName;
  readonly state: "done" | "failed" | "timed_out" | "skipped";
  readonly ms: number;
  readonly reason?: string;
}

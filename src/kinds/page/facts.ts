import type { Layout, SectionContent } from "./layout/layout.ts";
import type { Motion, MotionPattern } from "./motion/motion.ts";

/** What was seen of a page, before anything is concluded from it. Both the browser and the static reader fill it in. */
export interface PageFacts {
  readonly document: DocumentFacts;
  readonly sections: readonly SectionFacts[];
  readonly landmarks: Layout["landmarks"];
  readonly styles: StyleFacts;
  readonly css: CssFacts;
  readonly motion: MotionFacts;
  readonly content: ContentFacts;
}

export interface DocumentFacts {
  readonly title: string;
  readonly description: string;
  readonly language: string;
  readonly favicon: string;
  readonly ogImage: string;
  readonly viewportMeta: string;
  readonly robotsMeta: string;
  readonly hasDoctype: boolean;
  readonly charset: string;
  readonly width: number;
  readonly height: number;
  readonly elements: number;
  /** How many of them were looked at. */
  readonly examined: number;
  readonly text: string;
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  readonly tags: Readonly<Record<string, number>>;
  readonly attributes: Readonly<Record<string, number>>;
  readonly classes: readonly string[];
  readonly sources: readonly string[];
  readonly globals: readonly { readonly name: string; readonly version: string }[];
}

export interface SectionFacts {
  readonly selector: string;
  readonly tag: string;
  readonly role: string;
  /** Lower-case words of its classes, id and data attributes. */
  readonly words: readonly string[];
  readonly heading: string;
  readonly headings: number;
  readonly hasTopHeading: boolean;
  readonly paragraphs: number;
  readonly links: number;
  readonly images: number;
  readonly buttons: number;
  readonly quotes: number;
  readonly prices: number;
  readonly details: number;
  readonly bigNumbers: number;
  readonly fields: readonly string[];
  /** Children that look alike, side by side or below each other. */
  readonly repeated: number;
  readonly text: string;
  readonly top: number;
  readonly height: number;
  readonly width: number;
  readonly background: string;
  readonly color: string;
  readonly hasGradient: boolean;
  readonly hasBackgroundImage: boolean;
  readonly content: SectionContent;
}

export interface TextStyle {
  readonly family: string;
  readonly size: number;
  readonly weight: number;
  readonly lineHeight: number;
  readonly color: string;
  readonly background: string;
  readonly characters: number;
  readonly selector: string;
  readonly isHeading: boolean;
}

export interface StyleFacts {
  readonly texts: readonly TextStyle[];
  readonly backgrounds: readonly { readonly color: string; readonly area: number }[];
  readonly borders: readonly { readonly color: string; readonly count: number }[];
  readonly gradients: readonly (Layout["palette"]["gradients"][number] & { readonly area: number })[];
  readonly backgroundKinds: Readonly<Record<string, number>>;
  readonly containers: Layout["grid"]["containers"];
  readonly radii: readonly number[];
  readonly shadows: readonly string[];
}

export type MotionTiming = Pick<MotionPattern, "selector" | "durationMs" | "delayMs" | "easing" | "iterations">;

export interface DeclaredMotion extends MotionTiming {
  readonly property: string;
  readonly timeline: string;
}

export interface CssFacts {
  readonly rules: number;
  readonly bytes: number;
  readonly unreadable: readonly string[];
  readonly mediaQueries: readonly string[];
  readonly keyframes: readonly {
    readonly name: string;
    readonly steps: number;
    readonly properties: readonly string[];
  }[];
  readonly animations: readonly DeclaredMotion[];
  readonly transitions: readonly DeclaredMotion[];
  /** Rules for a state (hover, focus, active) and what they change. */
  readonly states: readonly {
    readonly selector: string;
    readonly state: string;
    readonly properties: readonly string[];
  }[];
  readonly variables: Layout["variables"]["list"];
  readonly fontFaces: Layout["typography"]["fontFaces"];
  readonly features: Readonly<Record<string, number>>;
  readonly functions: readonly string[];
  readonly math: NonNullable<Layout["variables"]["math"]>;
}

export interface LiveAnimation extends MotionTiming {
  readonly source: "css_animation" | "css_transition" | "web_animation";
  readonly name: string;
  readonly properties: readonly string[];
  readonly timeline: string;
  readonly script: NonNullable<MotionPattern["script"]>;
}

export interface MotionFacts {
  readonly live: readonly LiveAnimation[];
  readonly libraries: Motion["libraries"];
  readonly canvases: Motion["canvases"];
  readonly scrollEffects: Motion["scrollEffects"];
  readonly frameRequests: number;
  readonly intersectionObservers: number;
  readonly scrollListeners: number;
}

export interface ImageFacts {
  readonly source: string;
  readonly selector: string;
  readonly hasAlt: boolean;
  readonly hasSize: boolean;
  readonly isLazy: boolean;
  readonly isBroken: boolean;
  readonly isBelowFold: boolean;
  readonly width: number;
  readonly naturalWidth: number;
}

export interface ContentFacts {
  readonly images: readonly ImageFacts[];
  readonly links: readonly {
    readonly url: string;
    readonly text: string;
    readonly selector: string;
    readonly rel: string;
    readonly target: string;
  }[];
  readonly inlineHandlers: number;
  readonly scripts: { readonly total: number; readonly blocking: number };
  readonly insecure: readonly string[];
}

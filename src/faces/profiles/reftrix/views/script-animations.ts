import { cut, type Extent, type Found, type View } from "./extent.ts";

type Motion = Found<"motion">;

/** A script has started it, by the Web Animations API. */
export function isScripted({ type }: { readonly type: string }): boolean {
  return type === "web_animation";
}

export function viewScriptSummary({ webAnimations, libraries }: Motion, detectionTimeMs: number): View {
  return {
    // Animations are read from the document, which knows all that the developer tools would tell.
    cdpAnimationCount: 0,
    webAnimationCount: webAnimations,
    detectedLibraries: libraries.map(({ name }) => name),
    totalDetected: webAnimations + libraries.length,
    detectionTimeMs,
  };
}

/** The animations of scripts, and which of the five libraries that Reftrix asks for are there. */
export function viewScripted(motion: Motion, detectionTimeMs: number, extent: Extent): View {
  const scripted = motion.patterns.filter(isScripted);
  return {
    cdpAnimations: [],
    webAnimations: cut(scripted, 10, extent).map(viewAnimation),
    libraries: viewLibraries(motion),
    detectionTimeMs,
    totalDetected: motion.webAnimations + motion.libraries.length,
  };
}

function viewAnimation(pattern: Motion["patterns"][number]): View {
  const { id, selector, durationMs, delayMs, iterations, easing, script } = pattern;
  return {
    id,
    playState: script?.playState ?? (pattern.isRunning ? "running" : "idle"),
    target: selector,
    timing: {
      duration: durationMs,
      delay: delayMs,
      iterations,
      direction: script?.direction ?? "normal",
      easing,
      fill: script?.fill ?? "auto",
    },
    keyframes: script?.keyframes ?? [],
  };
}

function viewLibraries({ libraries }: Motion): View {
  const find = (pattern: RegExp): Motion["libraries"][number] | undefined =>
    libraries.find(({ name }) => pattern.test(name));
  const version = find(/^gsap/i)?.version ?? "";
  return {
    gsap: { detected: find(/^gsap/i) !== undefined, ...(version === "" ? {} : { version }) },
    framerMotion: { detected: find(/^(framer motion|motion)$/i) !== undefined },
    anime: { detected: find(/^anime/i) !== undefined },
    three: { detected: find(/^three/i) !== undefined },
    lottie: { detected: find(/^lottie/i) !== undefined },
  };
}

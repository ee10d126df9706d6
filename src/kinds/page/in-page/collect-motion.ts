/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { LiveAnimation, MotionFacts } from "../facts.ts";
import type { Kit } from "./kit.ts";
import type { MainWorld } from "./read-main-world.ts";

export const motionFunctions = [
  collectMotion,
  findLibraries,
  libraryFiles,
  describeAnimation,
  watchCanvases,
  canvasPrint,
  contextOf,
  soonFrame,
  findScrollEffects,
  scrollEffectOf,
];

/** What moves: animations that run, libraries that make things move, canvases, effects tied to scrolling. */
export async function collectMotion(kit: Kit, main: MainWorld): Promise<MotionFacts> {
  return {
    live: document
      .getAnimations()
      .slice(0, 1_000)
      .map((animation) => describeAnimation(animation, kit)),
    libraries: findLibraries(kit, main.globals),
    canvases: await watchCanvases(kit),
    scrollEffects: findScrollEffects(kit),
    frameRequests: main.watched?.frameRequests ?? 0,
    intersectionObservers: main.watched?.intersectionObservers ?? 0,
    scrollListeners: main.watched?.scrollListeners ?? 0,
  };
}

function findLibraries(kit: Kit, globals: MainWorld["globals"]): MotionFacts["libraries"] {
  const byGlobal: Record<string, string> = {
    gsap: "GSAP",
    TweenMax: "GSAP",
    ScrollTrigger: "GSAP ScrollTrigger",
    anime: "anime.js",
    THREE: "three.js",
    BABYLON: "Babylon.js",
    PIXI: "PixiJS",
    lottie: "Lottie",
    bodymovin: "Lottie",
    AOS: "AOS",
    Swiper: "Swiper",
    LocomotiveScroll: "Locomotive Scroll",
    Lenis: "Lenis",
    Velocity: "Velocity.js",
    mojs: "mo.js",
    p5: "p5.js",
    ScrollMagic: "ScrollMagic",
    barba: "Barba.js",
    particlesJS: "particles.js",
    Motion: "Motion",
  };
  const bySelector: Record<string, string> = {
    "Framer Motion": "[data-framer-name], [data-framer-appear-id], [data-projection-id]",
    AOS: "[data-aos]",
    Lottie: "lottie-player, dotlottie-player, [data-animation-path]",
    "Locomotive Scroll": "[data-scroll-container], [data-scroll-speed]",
    Swiper: ".swiper-wrapper",
    Webflow: "[data-w-id]",
    "Animate.css": ".animate__animated",
  };
  const found = new Map<string, MotionFacts["libraries"][number]>();
  const add = (name: string, version: string, evidence: string): void => {
    if (!found.has(name)) found.set(name, { name, version, evidence: evidence.slice(0, 300) });
  };
  for (const { name, version } of globals) {
    const library = byGlobal[name];
    if (library !== undefined) add(library, version, `window.${name}`);
  }
  for (const [library, selector] of Object.entries(bySelector)) {
    const element = document.querySelector(selector);
    if (element !== null) add(library, "", kit.selectorOf(element));
  }
  for (const { src } of document.scripts) {
    for (const [library, pattern] of Object.entries(libraryFiles())) if (pattern.test(src)) add(library, "", src);
  }
  return [...found.values()];
}

/** Libraries by the names of their files. */
export function libraryFiles(): Record<string, RegExp> {
  return {
    GSAP: /gsap/i,
    "GSAP ScrollTrigger": /scrolltrigger/i,
    "Framer Motion": /framer-motion/i,
    Lottie: /lottie|bodymovin/i,
    "anime.js": /\banime(\.min)?\.js/i,
    "three.js": /\bthree(\.module)?(\.min)?\.js/i,
    Lenis: /lenis/i,
    "Locomotive Scroll": /locomotive/i,
    AOS: /\baos\b/i,
    Swiper: /swiper/i,
  };
}

function describeAnimation(animation: Animation, kit: Kit): LiveAnimation {
  const effect = animation.effect instanceof KeyframeEffect ? animation.effect : undefined;
  const timing = effect?.getComputedTiming();
  const frames = effect?.getKeyframes() ?? [];
  const own = new Set(["offset", "computedOffset", "easing", "composite"]);
  const properties = new Set(frames.flatMap((frame) => Object.keys(frame)).filter((name) => !own.has(name)));
  const [source, name] =
    animation instanceof CSSAnimation
      ? (["css_animation", animation.animationName] as const)
      : animation instanceof CSSTransition
        ? (["css_transition", animation.transitionProperty] as const)
        : (["web_animation", animation.id] as const);
  const { timeline } = animation;
  return {
    source,
    name: name.slice(0, 100),
    selector: effect?.target instanceof Element ? kit.selectorOf(effect.target) : "",
    durationMs: typeof timing?.duration === "number" && Number.isFinite(timing.duration) ? timing.duration : 0,
    delayMs: timing?.delay ?? 0,
    easing: (frames[0]?.easing ?? timing?.easing ?? "linear").slice(0, 100),
    iterations: timing?.iterations === Infinity ? -1 : (timing?.iterations ?? 1),
    properties: [...properties]
      .map((text) => text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
      .slice(0, 30),
    timeline: timeline === null || timeline === document.timeline ? "" : timeline.constructor.name,
    script: {
      direction: timing?.direction ?? "normal",
      fill: timing?.fill ?? "auto",
      playState: animation.playState,
      keyframes: frames.slice(0, 10).map(({ offset, easing, composite }) => ({
        offset: offset ?? null,
        easing: (easing ?? "linear").slice(0, 100),
        composite: composite ?? "auto",
      })),
    },
  };
}

/** Small copies of a few frames tell whether a canvas is drawn again and again. */
async function watchCanvases(kit: Kit): Promise<MotionFacts["canvases"]> {
  const canvases = [...document.querySelectorAll("canvas")].slice(0, 20);
  const prints = canvases.map(() => new Set<string>());
  for (let frame = 0; canvases.length > 0 && frame < 4; frame++) {
    await soonFrame();
    canvases.forEach((canvas, index) => prints[index]?.add(canvasPrint(canvas)));
  }
  return canvases.map((canvas, index) => ({
    selector: kit.selectorOf(canvas),
    context: contextOf(canvas),
    isAnimated: (prints[index]?.size ?? 0) > 1,
  }));
}

function canvasPrint(canvas: HTMLCanvasElement): string {
  try {
    const copy = document.createElement("canvas");
    copy.width = 32;
    copy.height = 32;
    const context = copy.getContext("2d");
    context?.drawImage(canvas, 0, 0, 32, 32);
    return context?.getImageData(0, 0, 32, 32).data.join(",") ?? "";
  } catch {
    // Pictures of other origins make a canvas unreadable.
    return "";
  }
}

function contextOf(canvas: HTMLCanvasElement): string {
  return ["2d", "webgl2", "webgl"].find((name) => canvas.getContext(name) !== null) ?? "unknown";
}

function soonFrame(): Promise<unknown> {
  const frame = new Promise(requestAnimationFrame);
  return Promise.race([frame, new Promise((resolve) => setTimeout(resolve, 100))]);
}

function findScrollEffects(kit: Kit): MotionFacts["scrollEffects"] {
  const found = kit.seen.flatMap(({ element, style, isVisible }) => {
    const type = scrollEffectOf(style, isVisible);
    return type === "" ? [] : [{ type, selector: kit.selectorOf(element) }];
  });
  return found.slice(0, 50);
}

function scrollEffectOf(style: CSSStyleDeclaration, isVisible: boolean): string {
  const timeline = style.getPropertyValue("animation-timeline");
  if (timeline !== "" && timeline !== "auto" && timeline !== "none") return "scroll_timeline";
  if (!isVisible) return "";
  if (style.backgroundAttachment === "fixed" && style.backgroundImage !== "none") return "fixed_background";
  if (style.scrollSnapType !== "none" && style.scrollSnapType !== "") return "scroll_snap";
  return style.position === "sticky" ? "sticky" : "";
}

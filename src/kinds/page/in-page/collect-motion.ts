/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { LiveAnimation, MotionFacts } from "../facts.ts";
import type { Kit } from "./kit.ts";
import type { Watched } from "./watch-page.ts";

/** What moves: animations that run, libraries that make things move, canvases, effects tied to scrolling. */
export async function collectMotion(kit: Kit): Promise<MotionFacts> {
  const markers: Record<string, string> = {
    "Framer Motion": "[data-framer-name], [data-framer-appear-id], [data-projection-id]",
    AOS: "[data-aos]",
    Lottie: "lottie-player, dotlottie-player, [data-animation-path]",
    "Locomotive Scroll": "[data-scroll-container], [data-scroll-speed]",
    Swiper: ".swiper-wrapper",
    WOW: ".wow",
    Webflow: "[data-w-id]",
    Rellax: "[data-rellax-speed]",
    "Animate.css": ".animate__animated",
  };
  const globals: Record<string, string> = {
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
    ScrollMagic: "ScrollMagic",
    barba: "Barba.js",
    p5: "p5.js",
    particlesJS: "particles.js",
    Motion: "Motion",
  };
  const scripts =
    /(gsap|scrolltrigger|framer-motion|lottie|anime(?:\.min)?\.js|three(?:\.module)?(?:\.min)?\.js|locomotive|lenis|aos(?:\.min)?\.js|swiper)/i;
  const libraries = new Map<string, { name: string; version: string; evidence: string }>();
  for (const [name, library] of Object.entries(globals)) {
    const value: unknown = Reflect.get(window, name);
    if (value === undefined || value === null || value instanceof Element) continue;
    const version: unknown = Reflect.get(Object(value), "version") ?? Reflect.get(Object(value), "REVISION");
    libraries.set(library, {
      name: library,
      version: typeof version === "string" ? version.slice(0, 20) : "",
      evidence: `window.${name}`,
    });
  }
  for (const [library, selector] of Object.entries(markers)) {
    const element = document.querySelector(selector);
    if (element !== null && !libraries.has(library))
      libraries.set(library, { name: library, version: "", evidence: kit.selectorOf(element) });
  }
  for (const script of document.querySelectorAll<HTMLScriptElement>("script[src]")) {
    const file = scripts.exec(script.src)?.[0];
    if (
      file !== undefined &&
      libraries.size < 50 &&
      ![...libraries.keys()].some((name) =>
        name
          .toLowerCase()
          .replace(/\W/g, "")
          .startsWith(
            file
              .toLowerCase()
              .replace(/\W|js$/g, "")
              .slice(0, 4),
          ),
      )
    )
      libraries.set(file, { name: file, version: "", evidence: script.src.slice(0, 300) });
  }
  const describe = (animation: Animation): LiveAnimation => {
    const effect = animation.effect instanceof KeyframeEffect ? animation.effect : undefined;
    const timing = effect?.getComputedTiming();
    const skipped = new Set(["offset", "computedOffset", "easing", "composite"]);
    const properties = new Set(
      (effect?.getKeyframes() ?? []).flatMap((frame) => Object.keys(frame)).filter((name) => !skipped.has(name)),
    );
    const source =
      animation instanceof CSSAnimation
        ? "css_animation"
        : animation instanceof CSSTransition
          ? "css_transition"
          : "web_animation";
    return {
      source,
      name: (animation instanceof CSSAnimation
        ? animation.animationName
        : animation instanceof CSSTransition
          ? animation.transitionProperty
          : animation.id
      ).slice(0, 100),
      selector: effect?.target instanceof Element ? kit.selectorOf(effect.target) : "",
      durationMs: typeof timing?.duration === "number" ? timing.duration : 0,
      delayMs: timing?.delay ?? 0,
      easing: (effect?.getKeyframes()[0]?.easing ?? timing?.easing ?? "linear").slice(0, 100),
      iterations: timing?.iterations === Infinity ? -1 : (timing?.iterations ?? 1),
      properties: [...properties]
        .map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
        .slice(0, 30),
      timeline:
        animation.timeline === null || animation.timeline === document.timeline
          ? ""
          : animation.timeline.constructor.name,
      playState: animation.playState,
    };
  };
  const print = (canvas: HTMLCanvasElement): string => {
    try {
      const copy = document.createElement("canvas");
      copy.width = copy.height = 32;
      const context = copy.getContext("2d");
      context?.drawImage(canvas, 0, 0, 32, 32);
      return context?.getImageData(0, 0, 32, 32).data.join() ?? "";
    } catch {
      return "";
    }
  };
  const nextFrame = (): Promise<unknown> =>
    Promise.race([new Promise(requestAnimationFrame), new Promise((resolve) => setTimeout(resolve, 100))]);
  const watched = Reflect.get(window, "__longhaulWatch") as Watched | undefined;
  const requestsBefore = watched?.frameRequests ?? 0;
  const elements = [...document.querySelectorAll("canvas")].slice(0, 20);
  const before: string[] = [];
  const isAnimated = elements.map(() => false);
  for (let frame = 0; elements.length > 0 && frame < 4; frame++) {
    await nextFrame();
    elements.forEach((canvas, index) => {
      const now = print(canvas);
      if (frame > 0 && now !== before[index]) isAnimated[index] = true;
      before[index] = now;
    });
  }
  const contextOf = (canvas: HTMLCanvasElement): string =>
    ["2d", "webgl2", "webgl"].find((name) => canvas.getContext(name) !== null) ?? "unknown";
  const scrollEffects = kit.seen.flatMap(({ element, style, isVisible }) => {
    const timeline = style.getPropertyValue("animation-timeline");
    const type =
      timeline !== "" && timeline !== "auto" && timeline !== "none"
        ? "scroll_timeline"
        : !isVisible
          ? ""
          : style.backgroundAttachment === "fixed" && style.backgroundImage !== "none"
            ? "fixed_background"
            : style.scrollSnapType !== "none" && style.scrollSnapType !== ""
              ? "scroll_snap"
              : style.position === "sticky"
                ? "sticky"
                : "";
    return type === "" ? [] : [{ type, selector: kit.selectorOf(element) }];
  });
  return {
    live: document.getAnimations().slice(0, 1_000).map(describe),
    libraries: [...libraries.values()],
    canvases: elements.map((canvas, index) => ({
      selector: kit.selectorOf(canvas),
      context: contextOf(canvas),
      isAnimated: isAnimated[index] ?? false,
    })),
    scrollEffects: scrollEffects.slice(0, 50),
    frameRequests:
      (watched?.frameRequests ?? 0) - requestsBefore - (elements.length > 0 ? 4 : 0) > 0
        ? (watched?.frameRequests ?? 0)
        : requestsBefore,
    intersectionObservers: watched?.intersectionObservers ?? 0,
    scrollListeners: watched?.scrollListeners ?? 0,
  };
}

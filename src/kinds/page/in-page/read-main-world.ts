/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Watched } from "../collect-page.ts";

/** What only the page's own world holds: the notes of the watch, and the libraries that announce themselves. */
export interface MainWorld {
  readonly watched: Watched | null;
  readonly globals: readonly { readonly name: string; readonly version: string }[];
}

export function readMainWorld(): MainWorld {
  const names = [
    "gsap",
    "ScrollTrigger",
    "TweenMax",
    "anime",
    "THREE",
    "BABYLON",
    "PIXI",
    "lottie",
    "bodymovin",
    "AOS",
    "Swiper",
    "LocomotiveScroll",
    "Lenis",
    "Velocity",
    "mojs",
    "ScrollMagic",
    "barba",
    "Motion",
    "particlesJS",
    "p5",
    "jQuery",
    "React",
    "Vue",
    "angular",
    "Alpine",
    "bootstrap",
    "UIkit",
    "Webflow",
    "wixBiSession",
    "elementorFrontend",
    "Squarespace",
  ];
  const globals = names.flatMap((name) => {
    const value: unknown = Reflect.get(window, name);
    if ((typeof value !== "object" && typeof value !== "function") || value === null || value instanceof Element)
      return [];
    const version: unknown = Reflect.get(value, "version") ?? Reflect.get(value, "REVISION");
    return [{ name, version: typeof version === "string" ? version.slice(0, 20) : "" }];
  });
  const watched = Reflect.get(window, "__longhaulWatch") as Watched | undefined;
  return { watched: watched ?? null, globals };
}

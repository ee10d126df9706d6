import type { DeclaredMotion, PageFacts } from "../facts.ts";
import { categoryOf, costOf, triggerOf } from "./motion-words.ts";
import type { Motion, MotionPattern, MotionTrigger, MotionWarning } from "./motion.ts";

const maxPatterns = 200;

export function analyzeMotion(facts: PageFacts): Motion {
  const { css, motion } = facts;
  const hasReducedMotion = css.mediaQueries.some((query) => query.includes("prefers-reduced-motion"));
  const found = [
    ...declaredAnimations(facts),
    ...declaredTransitions(facts),
    ...unusedKeyframes(facts),
    ...scriptedAnimations(facts),
  ];
  const patterns = dedupe(found).map((pattern, index) => ({
    ...pattern,
    id: `motion-${index + 1}`,
    respectsReducedMotion: hasReducedMotion,
  }));
  const categories: Record<string, number> = {};
  for (const { category } of patterns) categories[category] = (categories[category] ?? 0) + 1;
  return {
    patterns: patterns.slice(0, maxPatterns),
    total: patterns.length,
    categories,
    libraries: motion.libraries,
    canvases: motion.canvases,
    scrollEffects: motion.scrollEffects,
    webAnimations: motion.live.filter(({ source }) => source === "web_animation").length,
    hasReducedMotion,
    usesScript: {
      frameRequests: motion.frameRequests,
      intersectionObservers: motion.intersectionObservers,
      scrollListeners: motion.scrollListeners,
    },
    warnings: findWarnings(patterns, hasReducedMotion),
  };
}

type Found = Omit<MotionPattern, "id" | "respectsReducedMotion">;

function toPattern(
  type: MotionPattern["type"],
  name: string,
  { timeline, selector, durationMs, delayMs, easing, iterations }: Omit<DeclaredMotion, "property">,
  properties: readonly string[],
  stateTwin?: string,
): Found {
  const guessed = triggerOf(selector, timeline, stateTwin);
  const trigger: MotionTrigger = guessed === "unknown" && type === "css_animation" ? "load" : guessed;
  const shape = { name, selector, properties, trigger, durationMs };
  const category = categoryOf({ ...shape, isInfinite: iterations === -1 });
  return { ...shape, type, category, delayMs, easing, iterations, cost: costOf(properties), isRunning: false };
}

function declaredAnimations({ css, motion }: PageFacts): Found[] {
  return css.animations.map((declared) => {
    const keyframes = css.keyframes.find(({ name }) => name === declared.property);
    const pattern = toPattern("css_animation", declared.property, declared, keyframes?.properties ?? []);
    return {
      ...pattern,
      isRunning: motion.live.some(({ source, name }) => source === "css_animation" && name === declared.property),
    };
  });
}

/** One pattern per rule, however many properties its transition names. */
function declaredTransitions({ css }: PageFacts): Found[] {
  const bySelector = new Map<string, DeclaredMotion[]>();
  for (const transition of css.transitions) {
    if (transition.durationMs > 0)
      bySelector.set(transition.selector, [...(bySelector.get(transition.selector) ?? []), transition]);
  }
  return [...bySelector].flatMap(([selector, transitions]) => {
    const [first] = transitions;
    if (first === undefined) return [];
    const twin = css.states.find(
      (state) => withoutStates(state.selector) === withoutStates(selector) && state.selector !== selector,
    );
    const named = transitions.map(({ property }) => property);
    const properties = named.includes("all") && twin !== undefined ? [...twin.properties] : named;
    return [
      toPattern("css_transition", `transition of ${named.slice(0, 3).join(", ")}`, first, properties, twin?.state),
    ];
  });
}

function withoutStates(selector: string): string {
  return selector.replace(/:(hover|focus-visible|focus-within|focus|active|checked)/g, "").trim();
}

function unusedKeyframes({ css }: PageFacts): Found[] {
  const used = new Set(css.animations.map(({ property }) => property));
  return css.keyframes
    .filter(({ name }) => !used.has(name))
    .map(({ name, properties }) =>
      toPattern(
        "keyframes",
        name,
        { selector: "", durationMs: 0, delayMs: 0, easing: "", iterations: 1, timeline: "" },
        properties,
      ),
    );
}

function scriptedAnimations({ motion }: PageFacts): Found[] {
  return motion.live
    .filter(({ source }) => source === "web_animation")
    .map((live) => ({
      ...toPattern("web_animation", live.name === "" ? "script animation" : live.name, live, live.properties),
      isRunning: true,
      script: live.script,
    }));
}

function dedupe(patterns: readonly Found[]): Found[] {
  const kept = new Map<string, Found>();
  for (const pattern of patterns) {
    const key = [pattern.type, pattern.name, pattern.selector].join("|");
    if (!kept.has(key)) kept.set(key, pattern);
  }
  return [...kept.values()];
}

function findWarnings(patterns: readonly MotionPattern[], hasReducedMotion: boolean): MotionWarning[] {
  const moving = patterns.filter(({ type }) => type !== "keyframes");
  const infinite = moving.filter(({ iterations }) => iterations === -1);
  const costly = moving.filter(({ cost }) => cost === "layout");
  const long = moving.filter(
    ({ durationMs, iterations, type }) => durationMs > 5_000 && iterations === 1 && type !== "css_transition",
  );
  const warnings: (MotionWarning | false)[] = [
    moving.length > 0 &&
      !hasReducedMotion && {
        code: "no_reduced_motion",
        severity: "warning",
        topic: "accessibility",
        message: `There is no rule for people who asked for less motion (prefers-reduced-motion). Movements: ${moving.length}.`,
        selectors: selectorsOf(moving),
      },
    infinite.length > 0 && {
      code: "infinite_motion",
      severity: "info",
      topic: "accessibility",
      message: `People must be able to stop what moves longer than five seconds. Movements that never end: ${infinite.length}.`,
      selectors: selectorsOf(infinite),
    },
    costly.length > 0 && {
      code: "layout_motion",
      severity: "warning",
      topic: "performance",
      message: `Transform and opacity are cheap to move. Movements that change the layout in every frame: ${costly.length}.`,
      selectors: selectorsOf(costly),
    },
    moving.length > 20 && {
      code: "many_motions",
      severity: "warning",
      topic: "performance",
      message: `${moving.length} movements are declared; more than 20 are hard to keep smooth and calm.`,
      selectors: [],
    },
    long.length > 0 && {
      code: "long_motion",
      severity: "info",
      topic: "accessibility",
      message: `Movements that take longer than five seconds: ${long.length}.`,
      selectors: selectorsOf(long),
    },
  ];
  return warnings.filter((warning) => warning !== false);
}

function selectorsOf(patterns: readonly MotionPattern[]): string[] {
  return patterns.slice(0, 10).map(({ selector, name }) => selector || name);
}

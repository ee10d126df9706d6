import type { EntryKind, Wish } from "./library.ts";
import { placeOf, type Feature } from "./features.ts";

type Words = Readonly<Record<string, readonly (Feature | readonly [Feature, number])[]>>;

/** What a word of a query says about the looks of any entry. */
const colors: Words = {
  red: ["red"],
  orange: ["orange"],
  brown: [["orange", 0.6], "dark"],
  yellow: ["yellow"],
  gold: ["yellow"],
  green: ["green"],
  cyan: ["cyan"],
  teal: ["cyan"],
  turquoise: ["cyan"],
  blue: ["blue"],
  navy: ["blue", "dark"],
  violet: ["violet"],
  purple: ["violet"],
  pink: ["pink"],
  magenta: ["pink"],
  dark: ["dark"],
  black: ["dark"],
  gray: ["gray"],
  grey: ["gray"],
  light: ["light"],
  white: ["light"],
  gradient: ["gradient"],
  gradients: ["gradient"],
};

const words: Readonly<Record<EntryKind, Words>> = {
  section: {
    ...colors,
    photo: ["image"],
    minimal: [
      ["images", 0],
      ["links", 0.1],
      ["paragraphs", 0.2],
    ],
    grid: ["grid"],
    columns: ["columns"],
    column: ["columns"],
    cards: ["grid", "columns"],
    images: ["images"],
    pictures: ["images"],
    gallery: ["images"],
    links: ["links"],
    button: ["buttons"],
    buttons: ["buttons"],
    form: ["fields"],
    serif: ["serif"],
    monospace: ["monospace"],
    code: ["monospace"],
    bold: ["bold", "large_heading"],
    large: ["large_heading"],
    big: ["large_heading"],
    tall: ["tall"],
    animated: ["transition", "animation"],
    animation: ["animation"],
  },
  motion: {
    slow: ["long"],
    long: ["long"],
    fast: [["long", 0.1]],
    quick: [["long", 0.1]],
    short: [["long", 0.1]],
    subtle: [
      ["long", 0.3],
      ["endless", 0],
    ],
    delayed: ["delayed"],
    infinite: ["endless"],
    endless: ["endless"],
    loop: ["endless"],
    looping: ["endless"],
    hover: ["hover"],
    scroll: ["scroll"],
    click: ["click"],
    focus: ["focus"],
    load: ["load"],
    fade: ["fade"],
    fading: ["fade"],
    slide: ["move"],
    move: ["move"],
    rotate: ["move"],
    scale: ["move"],
    zoom: ["move"],
    spin: ["move", "endless"],
    color: ["recolor"],
    colour: ["recolor"],
    transition: ["transition"],
    animation: ["animation"],
    smooth: ["eased"],
  },
  background: { ...colors, image: ["image"], photo: ["image"], solid: ["plain"], plain: ["plain"] },
  responsive: {
    hidden: ["narrow_hides"],
    hides: ["narrow_hides"],
    visibility: ["narrow_hides"],
    stacked: ["narrow_restacks"],
    columns: ["narrow_restacks"],
    layout: ["narrow_restacks"],
    hamburger: ["narrow_menu"],
    menu: ["narrow_menu"],
    navigation: ["narrow_menu"],
    typography: ["narrow_text"],
    text: ["narrow_text"],
    overflow: ["overflow"],
  },
};

/** A word of a query: found in a text, or seen in the looks of an entry. */
export interface Term {
  readonly word: string;
  readonly wishes: readonly Wish[];
}

const maxTerms = 16;
const stopWords = new Set("a an and are as at be by for from in into is it of on or that the this to with".split(" "));

export function toTerms(kind: EntryKind, query: string): Term[] {
  const all = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
  const telling = all.filter((word) => !stopWords.has(word));
  const known = words[kind];
  return (telling.length > 0 ? telling : all).slice(0, maxTerms).map((word) => {
    const features = Object.hasOwn(known, word) ? (known[word] ?? []) : [];
    const wishes = features.map((wish): Wish => {
      const [feature, value] = typeof wish === "string" ? [wish, 1] : wish;
      return { place: placeOf(feature), value };
    });
    return { word, wishes };
  });
}

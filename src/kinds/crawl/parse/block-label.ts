import { noAttributes, type Attributes } from "./element-rules.ts";

/** What the names that its author gave to a block say about it; doubtful where they say both. */
export type BlockSign = "content" | "decoration" | "doubtful" | "none";

const longestLabel = 300;

const decoration =
  /(?<![a-z])(comments?(?!ary)|disqus|respond|related|recommend|recirc|promo|shar(e|ing)|social|newsletter|subscri|sign-?up|side-?bar|widget|outbrain|taboola|sponsor|advert|ads?(?![a-z])|banner|breadcrumb|by-?line|author|popular|trending|most-?(read|viewed|popular)|more-?(from|stories|news|on|articles|in)|read-?(more|next|also)|tags?(?![a-z])|tag-?list|footer|cookie|gdpr|consent|popup|modal|overlay|pagination|pager|toolbar|login|register|donat|membership|paywall|teaser|carousel|gallery|slide-?show|credit|copyright|disclaimer|masthead|menu|nav(?![a-z])|nav(bar|igation)|skip|also-?(like|read)|you-?may|up-?next)/;
/** Of a few words: when, where from, what to click. */
const smallDecoration =
  /(?<![a-z])(date(?![a-z])|dateline|time(?![a-z])|timestamp|publish|posted|updated|meta(?![a-z])|metadata|kicker|eyebrow|source|button|btn|label|actions?(?![a-z]))/;
const content =
  /(?<![a-z])(article-?_?(body|content|text|copy|main)|(post|entry|story|page|main|body|news|text)[-_]*(body|content|text|copy)|content(?![a-z])|prose|markdown|entry(?![a-z])|articlebody|main(?![a-z])|h-?entry)/;
const entry = /(?<![\w-])(h-?entry|type-post)(?![\w-])/;

export function signOf(attributes: Attributes, isSmall: boolean): BlockSign {
  if (attributes === noAttributes) return "none";
  const { class: names = "", id = "", itemprop = "", role = "" } = attributes;
  const label = `${names} ${id} ${itemprop} ${role}`.slice(0, longestLabel).toLowerCase();
  const isDecoration = decoration.test(label) || (isSmall && smallDecoration.test(label));
  if (content.test(label)) return isDecoration ? "doubtful" : "content";
  return isDecoration ? "decoration" : "none";
}

/** The body of an article, by schema.org. */
export function isArticleBody({ itemprop }: Attributes): boolean {
  return itemprop !== undefined && /articlebody/i.test(itemprop);
}

/** A post, by the names that blogs give it. */
export function isEntry(attributes: Attributes): boolean {
  return isArticleBody(attributes) || entry.test(attributes["class"] ?? "");
}

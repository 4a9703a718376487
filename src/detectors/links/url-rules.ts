import type { RuleMatch, TextView, TriggerRule } from "../detector.js";
import { readUrl, schemeStart, type WrittenUrl } from "./written-url.js";

/** Reads the URL which a trigger begins. */
export type UrlReader = (view: TextView, start: number) => WrittenUrl | undefined;

/**
 * Returns a rule about URLs for the text as it is, and for the text without disguises and encodings, if that is another one: a page
 * and a parser decode entities and escapes around a URL, and a redirection decodes the one within it.
 */
export function urlRules(
  rule: Omit<TriggerRule, "find">,
  find: (read: UrlReader, view: TextView, start: number) => RuleMatch | undefined,
): readonly TriggerRule[] {
  const [own, decoded] = [urlReader(), urlReader()];
  return [
    { ...rule, views: "original", find: (view, start) => find(own, view, start) },
    {
      ...rule,
      views: "decoded",
      find: (view, start) => (view.layers.length === 0 ? undefined : find(decoded, view, start)),
    },
  ];
}

/** URLs within another one that are read: targets of redirections. */
const MOST_INNER = 4;

/**
 * Returns a function that reads the URL which a trigger begins. INVARIANT: of the URLs within another one it reads a few, so that
 * a text of many in a row is read in linear time.
 */
function urlReader(): UrlReader {
  const outer = new WeakMap<TextView, { readonly end: number; inner: number }>();
  return (view, start) => {
    const last = outer.get(view);
    const isInner = last !== undefined && start < last.end;
    if (isInner && last.inner++ >= MOST_INNER) return undefined;
    const url = urlAt(view.text, start);
    if (url !== undefined && !isInner) outer.set(view, { end: url.end, inner: 0 });
    return url;
  };
}

/** Returns the URL that a trigger begins. */
function urlAt(text: string, start: number): WrittenUrl | undefined {
  const first = text.charAt(start);
  if (/["'(=]/.test(first)) return readUrl(text, start + 1, start + 3);
  if (/www\./iy.test(text.slice(start, start + 4))) {
    if (/^[\s.]?$/.test(text.charAt(start + 4))) return undefined;
    return start > 0 && /[\w./@-]/.test(text.charAt(start - 1)) ? undefined : readUrl(text, start, start);
  }
  const colon = text.indexOf(":", start);
  if (schemeStart(text, colon) !== start) return undefined;
  const slashes = /^[/\\]{0,4}/.exec(text.slice(colon + 1, colon + 5))?.[0].length ?? 0;
  // `https:` alone, and `http: the protocol`, are words.
  if (slashes === 0 && !/^[\w-]{1,63}\.[\w.-]{2,64}[/?#\s]/.test(text.slice(colon + 1, colon + 140))) return undefined;
  return readUrl(text, start, colon + 1 + slashes);
}

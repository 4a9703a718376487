import { parse } from "tldts";

/** A URL as it is written, and as a browser reads it. */
export interface WrittenUrl {
  readonly start: number;
  readonly end: number;
  readonly written: string;
  /** Part between `//` and the path, without user and port. */
  readonly writtenHost: string;
  readonly url: URL;
  /** Host as a browser resolves it, in ASCII. */
  readonly host: string;
  /** Part of the host that a registry sells, such as `example.co.uk`; undefined for addresses and names without a public suffix. */
  readonly domain: string | undefined;
}

/** Longest URL that is read, in characters. */
export const LONGEST_URL = 2048;
/**
 * Characters up to the end of a URL. Hostile URLs are not well-formed, so that their end does not depend on their form: backslashes,
 * escapes and any letters belong to them.
 */
const REST = new RegExp(`[^\\s<>"'\`{}|^\\u0000-\\u0020]{1,${LONGEST_URL}}`, "y");
const TEMPLATE_REST = new RegExp(`[^\\s<>"'\`|^]{1,${LONGEST_URL}}`, "y");
const SCHEME = /(?:https?|ftps?|wss?)$/i;

/** Returns the URL around `://`, `:\\` or the like, or after `www.` or `//`, or undefined. */
export function readUrl(text: string, start: number, authority: number): WrittenUrl | undefined {
  const pattern = text.startsWith("{", start) ? TEMPLATE_REST : REST;
  pattern.lastIndex = start;
  const found = pattern.exec(text)?.[0];
  if (found === undefined) return undefined;
  const written = withoutPunctuation(withoutEscape(withTemplates(text, start, found), authority - start));
  const url = parseUrl(written);
  if (url === undefined || url.hostname === "") return undefined;
  const { domain } = parse(url.hostname, { extractHostname: false });
  return {
    start,
    end: start + written.length,
    written,
    writtenHost: hostOf(written.slice(authority - start)),
    url,
    host: url.hostname.replace(/\.$/, ""),
    domain: domain ?? undefined,
  };
}

/** Offset at which the scheme before a colon starts, or undefined. */
export function schemeStart(text: string, colon: number): number | undefined {
  const scheme = SCHEME.exec(text.slice(Math.max(0, colon - 5), colon))?.[0];
  if (scheme === undefined) return undefined;
  const start = colon - scheme.length;
  return start > 0 && /[\w+-]/.test(text.charAt(start - 1)) ? undefined : start;
}

/** A placeholder such as `{data}` or `<email>` belongs to a URL: its author or a program fills it. */
function withTemplates(text: string, start: number, found: string): string {
  let end = start + found.length;
  for (let turn = 0; turn < 8; turn++) {
    const placeholder = /^(?:\{{1,2}[^{}\s<>"']{1,64}\}{1,2}|<[\w-]{1,40}>?)/.exec(text.slice(end, end + 72))?.[0];
    if (placeholder === undefined || !/[=/?&#{}.:_$-]$/.test(text.slice(start, end))) break;
    end += placeholder.length;
    REST.lastIndex = end;
    end += REST.exec(text)?.[0].length ?? 0;
  }
  return text.slice(start, end);
}

/** In JSON and in programs an escape such as `\n` or `\"` ends a URL; before a host, and before `@`, it is a slash. */
function withoutEscape(written: string, authority: number): string {
  const escape = written.slice(authority + 1).search(/\\(?:[nrt"'\\]|u[\da-f]{4}|x[\da-f]{2}|$)/i);
  return escape === -1 || written.includes("@", authority + 1 + escape)
    ? written
    : written.slice(0, authority + 1 + escape);
}

/** Punctuation of the sentence and closing brackets without an opening one do not belong to a URL. */
function withoutPunctuation(written: string): string {
  let url = written;
  for (let turn = 0; turn < 8; turn++) {
    const last = url.charAt(url.length - 1);
    const opening = last === ")" ? "(" : last === "]" ? "[" : undefined;
    const isOpen = opening !== undefined && url.split(opening).length >= url.split(last).length;
    if (!/[.,;:!?*)\]]/.test(last) || isOpen) break;
    url = url.slice(0, -1);
  }
  const close = url.indexOf(")");
  // `](https://example.org)text`: Markdown ends at the first bracket that closes none.
  return close !== -1 && !url.slice(0, close).includes("(") ? url.slice(0, close) : url;
}

function parseUrl(written: string): URL | undefined {
  const full = /^[a-z]{2,5}:/i.test(written)
    ? written
    : written.startsWith("//")
      ? `https:${written}`
      : `https://${written}`;
  return URL.canParse(full) ? new URL(full) : undefined;
}

function hostOf(rest: string): string {
  const authority = /^[^/?#\\]*/.exec(rest)?.[0] ?? "";
  return authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d{1,5}$/, "");
}

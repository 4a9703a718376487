import { parse } from "tldts";

import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { UNSPACED_LETTERS } from "../../scan/unspaced-letters.js";
import { isEscapeAt, WORDS_AFTER_HOST } from "../digit-groups.js";

const MAX_LOCAL = 64;
const MAX_DOMAIN = 253;
const LOCAL = /[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]/u;
const LABEL = "[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?";
const DOMAIN = new RegExp(`(?:\\[(?:IPv6:)?[\\d.:a-f]{3,45}\\]|${LABEL}(?:\\.${LABEL}){1,8})`, "iuy");
/** Words of scripts without spaces right before a local part: `連絡先はada@example.org`. */
const BEFORE_LATIN = new RegExp(`^.*${UNSPACED_LETTERS}(?=[A-Za-z])`, "u");
/** A public ending makes an address certain; others (`user@host.internal`) are as often something else. */
const PUBLIC = 1;
const PRIVATE = 0.4;
const SPELLED = 0.6;

/** Addresses of the usual form, also with quotes, letters of all scripts and address literals. */
export const emailRule: TriggerRule = {
  name: "email",
  type: "EMAIL_ADDRESS",
  score: PUBLIC,
  context: ["mail", "e-mail", "email", "correo", "courriel", "contact", "write", "reach", "@"],
  reach: 330,
  within: "word",
  triggers: ["@"],
  find: findEmail,
};

/** Words for the dot and for `@`. */
const DOTS = "(?:dot|punkt|punto|point|ponto)";
const DOT = `(?: ?[([{<] ?(?:dot|\\.) ?[)\\]}>] ?| ${DOTS} |\\.)`;
const DOTS_BEFORE = new RegExp(`(?:[\\p{L}\\p{N}_-]{1,32} ${DOTS} ){1,3}$`, "iu");
const SPELLED_AFTER = new RegExp(
  `(?: ?[([{<] ?(?:at|@) ?[)\\]}>] ?([\\p{L}\\p{N}-]{1,63}(?:${DOT}[\\p{L}\\p{N}-]{1,63}){1,4})|` +
    ` (?:at ([\\p{L}\\p{N}-]{1,63}(?: dot [\\p{L}\\p{N}-]{1,63}){1,4})|(?:ät|arroba|chiocciola|arobase) ([\\p{L}\\p{N}-]{1,63}(?: ${DOTS} [\\p{L}\\p{N}-]{1,63}){1,4})))`,
  "iuy",
);

/** Addresses that are written for people only: `ada (at) example (dot) org`, `ada at example dot org`. */
export const spelledEmailRule: TriggerRule = {
  name: "spelled-email",
  views: "decoded",
  type: "EMAIL_ADDRESS",
  score: SPELLED,
  reach: 330,
  before: 2 * MAX_LOCAL + 2,
  triggers: "(at)|[at]|{at}|<at>|( at )|[ at ]|(@)|[@]| at | ät | arroba | chiocciola | arobase ".split("|"),
  find: findSpelledEmail,
};

function findEmail({ text }: TextView, at: number, after: number): RuleMatch | undefined {
  DOMAIN.lastIndex = after;
  if (!isLocalAt(text, at - 1) && text.charAt(at - 1) !== '"') return undefined;
  const domain = DOMAIN.exec(text)?.[0].replace(WORDS_AFTER_HOST, "$1");
  if (domain === undefined || domain.length > MAX_DOMAIN) return undefined;
  const start = text.charAt(at - 1) === '"' ? startOfQuoted(text, at) : startOfLocal(text, at);
  if (start === undefined) return undefined;
  const score = scoreOfDomain(domain);
  const end = after + domain.length;
  // Underscores on both sides are those of Markdown.
  const from = text.charAt(end) === "_" ? start + (/^_{1,3}/.exec(text.slice(start, at))?.[0].length ?? 0) : start;
  return score === undefined || from === at ? undefined : { start: from, end, score };
}

/** Offset of the first character of the local part that ends at an offset. */
function startOfLocal(text: string, end: number): number | undefined {
  let start = end;
  while (start > 0 && end - start < MAX_LOCAL && isLocalAt(text, start - 1)) start--;
  // Punctuation before an address is not part of it, and neither is the name of a parameter or field.
  const named = text.slice(start, end).search(/[=/|][^=/|]*$/);
  if (named !== -1) start += named + 1;
  if (isEscapeAt(text, start)) start++;
  while (start < end && /[^\p{L}\p{M}\p{N}_+]/u.test(text.charAt(start))) start++;
  start += BEFORE_LATIN.exec(text.slice(start, end))?.[0].length ?? 0;
  return start < end && text.charAt(end - 1) !== "." ? start : undefined;
}

function startOfQuoted(text: string, end: number): number | undefined {
  const open = text.lastIndexOf('"', end - 2);
  return open === -1 || end - open > MAX_LOCAL || text.slice(open, end).includes("\n") ? undefined : open;
}

function isLocalAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code >= 0xdc00 && code <= 0xdfff) return /\p{L}/u.test(text.slice(at - 1, at + 1));
  return at >= 0 && LOCAL.test(text.charAt(at));
}

function scoreOfDomain(domain: string): number | undefined {
  if (domain.startsWith("[")) return PUBLIC;
  const { isIcann, publicSuffix, domain: registered } = parse(domain, { validateHostname: false });
  if (isIcann === true && registered !== null) return PUBLIC;
  // Versions (`name@1.2.3`) and files (`@scope/name.js`) are written with the same characters.
  return publicSuffix !== null && /^\p{L}{2,}$/u.test(publicSuffix) ? PRIVATE : undefined;
}

function findSpelledEmail({ text }: TextView, at: number): RuleMatch | undefined {
  const gap = text.charAt(at) !== " " && text.charAt(at - 1) === " " ? 1 : 0;
  SPELLED_AFTER.lastIndex = at - gap;
  const found = SPELLED_AFTER.exec(text);
  const domain = found?.[1] ?? found?.[2] ?? found?.[3];
  if (found === null || domain === undefined) return undefined;
  const start = startOfLocal(text, at - gap);
  const spelled = domain.replaceAll(/ ?[([{<] ?(?:dot|\.) ?[)\]}>] ?| (?:dot|punkt|punto|point|ponto) /gi, ".");
  if (start === undefined || scoreOfDomain(spelled) !== PUBLIC) return undefined;
  const dots = DOTS_BEFORE.exec(text.slice(Math.max(0, start - MAX_LOCAL), start))?.[0].length ?? 0;
  return { start: start - dots, end: at - gap + found[0].length };
}

import type { RuleMatch, TextView, TriggerRule } from "../detector.js";
import { isBoundaryBefore, isWordCharacter } from "./boundaries.js";
import { decodeBase64, hasJwtHeader } from "./checksums.js";
import { entropyOf, isRandomText } from "./entropy.js";
import { hasOwnFormat, isPlaceholderValue, isReference } from "./placeholders.js";

const JWT = /ey[JK][\w-]{8,1500}\.[\w-]{2,8000}(?:\.[\w-]{0,1500}){1,3}/y;
/** The same in lines of an equal length. */
const JWT_LINES = /ey[JK][\w.-]{16,120}(?:\r?\n[ \t]{0,8}[\w.-]{16,120}){1,24}(?:\r?\n[ \t]{0,8}[\w-]{1,15}(?=\s|$))?/y;
const BEARER = /["'`]?([\w.~+/-]{16,2000}={0,2})/y;
const COOKIE =
  / ?(?:[^\s;=]{1,40}=[^\s;]{0,200}; ?){0,8}?[\w.-]{0,24}(?:sess|sid|auth|remember|jwt)[\w.-]{0,16}=([\w.~+/%-]{16,400})/iy;
const BASIC = /["'`]?([0-9A-Za-z+/]{8,400}={0,2})/y;

/** JSON web tokens, whose header decodes, and the credentials of `Authorization` headers. */
export const TOKEN_RULES: readonly TriggerRule[] = [
  {
    name: "json-web-token",
    type: "SECRET",
    score: 0.95,
    triggers: ["eyj", "eyk"],
    before: 0,
    within: "word",
    find: findJwt,
    reach: 14_336,
  },
  {
    name: "json-web-token",
    type: "SECRET",
    score: 0.95,
    triggers: ["eyj", "eyk"],
    before: 0,
    find: findJwtLines,
    reach: 3200,
  },
  {
    name: "bearer-token",
    type: "SECRET",
    score: 0.8,
    triggers: ["bearer "],
    before: 0,
    within: "word",
    find: findBearer,
    reach: 2048,
  },
  {
    name: "session-cookie",
    type: "SECRET",
    score: 0.8,
    triggers: ["cookie:"],
    before: 0,
    within: "line",
    find: findCookie,
    reach: 2600,
  },
  {
    name: "basic-authorization",
    type: "SECRET",
    score: 0.9,
    triggers: ["basic "],
    before: 0,
    within: "word",
    find: findBasic,
    reach: 512,
  },
];

function findJwt({ text }: TextView, start: number): RuleMatch | undefined {
  if (!isBoundaryBefore(text, start)) return undefined;
  JWT.lastIndex = start;
  const token = JWT.exec(text)?.[0];
  if (token === undefined || !hasJwtHeader(token)) return undefined;
  return { start, end: start + token.length };
}

function findJwtLines({ text }: TextView, start: number): RuleMatch | undefined {
  JWT_LINES.lastIndex = start;
  const lines = isBoundaryBefore(text, start) ? JWT_LINES.exec(text)?.[0] : undefined;
  if (lines === undefined || !hasJwtHeader(lines.replaceAll(/\s/g, ""))) return undefined;
  const last = lines.slice(lines.lastIndexOf("\n")).trim();
  const isPart = last.length > 15 || isRandomText(last) || /\d/.test(last);
  return { start, end: start + (isPart ? lines.length : lines.lastIndexOf("\n")) };
}

function findBearer({ text }: TextView, start: number, end: number): RuleMatch | undefined {
  const value = read(BEARER, text, start, end);
  if (value === undefined || hasOwnFormat(value) || !isRandomValue(value)) return undefined;
  return matchOf(value, BEARER.lastIndex);
}

function findCookie({ text }: TextView, start: number, end: number): RuleMatch | undefined {
  const value = read(COOKIE, text, start, end);
  return value === undefined || !isRandomValue(value) ? undefined : matchOf(value, COOKIE.lastIndex);
}

function isRandomValue(value: string): boolean {
  return !isPlaceholderValue(value) && !isReference(value) && entropyOf(value) >= 3.5 && isRandomText(value);
}

function findBasic({ text }: TextView, start: number, end: number): RuleMatch | undefined {
  const value = read(BASIC, text, start, end);
  const decoded = value === undefined ? undefined : decodeBase64(value);
  if (value === undefined || decoded === undefined || !/^[\x21-\x7e]{1,100}:[\x20-\x7e]{4,200}$/.test(decoded))
    return undefined;
  return isPlaceholderValue(decoded.slice(decoded.indexOf(":") + 1)) ? undefined : matchOf(value, BASIC.lastIndex);
}

function read(pattern: RegExp, text: string, start: number, end: number): string | undefined {
  if (start > 0 && isWordCharacter(text, start - 1)) return undefined;
  pattern.lastIndex = end;
  return pattern.exec(text)?.[1];
}

function matchOf(value: string, end: number): RuleMatch {
  return { start: end - value.length, end };
}

import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { FAINT } from "../certainty.js";
import { isAlphanumeric, isDigit, isWordAt } from "../digit-groups.js";
import { endsLabel } from "./label.js";

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|0?\\d?\\d)";
const V4 = new RegExp(`${OCTET}(?:\\.${OCTET}){3}(?!\\d)`, "y");
const V4_WHOLE = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
const VERSION_BEFORE = /(?:\bv|version|release|build|firmware|chapter|section|§)[ :=.]{0,3}$/i;
const ADDRESS = 0.95;
/** Four small numbers after "version" are a version unless the text says otherwise. */
const VERSION = FAINT;
const MAX_V6 = 45;

/** Addresses of version 4 in dotted form. */
export const ipv4Rule: TriggerRule = {
  name: "ipv4",
  views: "decoded",
  type: "IP_ADDRESS",
  score: ADDRESS,
  context: ["ip", "address", "host", "server", "client", "adresse", "dirección", "indirizzo", "ping", "subnet", "dns"],
  reach: 24,
  within: "word",
  digits: 1,
  find: findV4,
};

/** Addresses of version 6 in each of its text forms, with zone, embedded version 4 and in brackets. */
export const ipv6Rule: TriggerRule = {
  name: "ipv6",
  views: "decoded",
  type: "IP_ADDRESS",
  score: ADDRESS,
  context: ["ip", "ipv6", "address", "host", "server", "client", "adresse", "dirección", "indirizzo", "dns"],
  reach: 80,
  within: "word",
  triggers: [":"],
  find: findV6,
};

function findV4({ text }: TextView, start: number, digits: number): RuleMatch | undefined {
  if (digits - start > 3 || text.charAt(digits) !== ".") return undefined;
  V4.lastIndex = start;
  const found = V4.exec(text);
  if (found === null || isWordAt(text, start - 1)) return undefined;
  const end = start + found[0].length;
  const isPartOfMore =
    (text.charAt(start - 1) === "." && isAlphanumeric(text.charCodeAt(start - 2))) ||
    (text.charAt(end) === "." && isDigit(text.charCodeAt(end + 1))) ||
    isWordAt(text, end);
  if (isPartOfMore) return undefined;
  const isVersion = VERSION_BEFORE.test(text.slice(Math.max(0, start - 12), start));
  return { start, end, score: isVersion ? VERSION : ADDRESS };
}

function findV6({ text }: TextView, colon: number): RuleMatch | undefined {
  let start = colon;
  while (start > 0 && colon - start <= MAX_V6 && isAddressCode(text.charCodeAt(start - 1))) {
    // The first colon of an address decides about it.
    if (text.charCodeAt(start - 1) === 0x3a) {
      if (!endsLabel(text, start - 1)) return undefined;
      break;
    }
    start--;
  }
  let end = colon + 1;
  while (end - colon <= MAX_V6 && isAddressCode(text.charCodeAt(end))) end++;
  // A sentence may end or go on after the address: "at fe80::1." and "at fe80::1: it fails".
  while (text.charAt(end - 1) === "." || (text.charAt(end - 1) === ":" && text.charAt(end - 2) !== ":")) end--;
  if (end - start < 3 || isWordAt(text, start - 1) || isWordAt(text, end)) return undefined;
  const address = text.slice(start, end);
  if (!isV6(address)) return undefined;
  const zone = /^%[\w.-]{1,32}/.exec(text.slice(end, end + 34))?.[0].length ?? 0;
  // Names such as `a::b` are written with the same letters.
  return { start, end: end + zone, score: /\d/.test(address) ? ADDRESS : VERSION };
}

/** Hexadecimal digit, colon or full stop. */
function isAddressCode(code: number): boolean {
  return isDigit(code) || code === 58 || code === 46 || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

/** Returns true for eight groups, or fewer with one `::`, of which the last two may be written as version 4. */
function isV6(address: string): boolean {
  const halves = address.split("::");
  if (halves.length > 2 || address === "::") return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1) ?? "";
  const hasV4 = V4_WHOLE.test(last);
  const hex = hasV4 ? groups.slice(0, -1) : groups;
  const count = hex.length + (hasV4 ? 2 : 0);
  const isFull = halves.length === 1 ? count === 8 : count <= 7 && !(hasV4 && address.endsWith("::"));
  return isFull && hex.every((group) => /^[\da-f]{1,4}$/i.test(group));
}

import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { isWordAt } from "../digit-groups.js";
import { endsLabel } from "./label.js";

const PAIRS = /[\da-f]{2}([:-])[\da-f]{2}(?:\1[\da-f]{2}){4}/iy;
const FOURS = /[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4}/iy;

/** Addresses of network interfaces: six pairs with `:` or `-`, or three groups of four with full stops. */
export const macRule: TriggerRule = {
  name: "mac",
  views: "decoded",
  type: "MAC_ADDRESS",
  score: 0.9,
  reach: 24,
  within: "word",
  triggers: [":", "-", "."],
  find: findMac,
};

function findMac({ text }: TextView, at: number): RuleMatch | undefined {
  const isDot = text.charAt(at) === ".";
  const start = at - (isDot ? 4 : 2);
  const pattern = isDot ? FOURS : PAIRS;
  if (start < 0) return undefined;
  const isLabelled = text.charAt(start - 1) === ":" && endsLabel(text, start - 1);
  if (!isLabelled && isPart(text, start - 1)) return undefined;
  pattern.lastIndex = start;
  const found = pattern.exec(text)?.[0];
  if (found === undefined || isPart(text, start + found.length)) return undefined;
  // Dates and numbers in groups have no letters; addresses without letters need colons.
  const isNumber = !/[a-f]/i.test(found) && !found.includes(":");
  const isEmpty = /^(?:00|ff|[:.-])+$/i.test(found);
  return isNumber || isEmpty ? undefined : { start, end: start + found.length };
}

function isPart(text: string, at: number): boolean {
  return isWordAt(text, at) || (text.charAt(at) === ":" && isWordAt(text, at + 1)) || text.charAt(at) === "-";
}

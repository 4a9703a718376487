import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { type DigitGroupReader, digitsOf, isWordAt, shapeOf } from "../digit-groups.js";

const WITH_HYPHENS = 0.75;
const WITH_SPACES = 0.5;
const DIGITS_ONLY = 0.2;
/** Numbers that the Social Security Administration published or advertised with. */
const UNUSED_SSN = new Set(["078051120", "219099999", "457555462"]);

/** Social security numbers and taxpayer numbers of the United States. */
export function taxpayerRules(reader: DigitGroupReader): TriggerRule[] {
  const base = { score: DIGITS_ONLY, reach: 24, digits: 3 } as const;
  return [
    {
      ...base,
      name: "us-ssn",
      type: "US_SSN",
      context: ["social", "security", "ssn", "ssns", "ss#", "ss #", "ssid", "taxpayer", "tax id", "seguro social"],
      find: (view, start) => findTaxpayer(view, start, reader, isSsn),
    },
    {
      ...base,
      name: "us-itin",
      type: "US_ITIN",
      context: ["individual", "taxpayer", "itin", "tax", "payer", "taxid", "tin"],
      find: (view, start) => findTaxpayer(view, start, reader, isItin),
    },
  ];
}

function findTaxpayer(
  { text }: TextView,
  start: number,
  reader: DigitGroupReader,
  isNumber: (digits: string) => boolean,
): RuleMatch | undefined {
  const groups = reader.read(text, start);
  const [first, second, third] = groups;
  if (first === undefined || isWordAt(text, start - 1) || /[-.]/.test(text.charAt(start - 1))) return undefined;
  const isPlain = first.end - start === 9;
  const isGrouped = !isPlain && shapeOf(groups.slice(0, 3)) === "3-2-4" && second?.separator === third?.separator;
  const last = isPlain ? first : third;
  if (last === undefined || !(isPlain || isGrouped) || isWordAt(text, last.end)) return undefined;
  if (/^[-.]\d/.test(text.slice(last.end, last.end + 2)) || !isNumber(digitsOf(text.slice(start, last.end))))
    return undefined;
  const separator = isPlain ? "" : (second?.separator ?? "");
  const score =
    separator === ""
      ? DIGITS_ONLY
      : /[-‐‑–]/.test(separator)
        ? WITH_HYPHENS
        : separator.trim() === ""
          ? WITH_SPACES
          : DIGITS_ONLY;
  return { start, end: last.end, score };
}

/** Areas 000, 666 and 900 to 999, group 00 and serial 0000 were never given. */
function isSsn(digits: string): boolean {
  return (
    /^(?!000|666|9)\d{3}(?!00)\d\d(?!0000)\d{4}$/.test(digits) && !/^(\d)\1*$/.test(digits) && !UNUSED_SSN.has(digits)
  );
}

function isItin(digits: string): boolean {
  return /^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\d{4}$/.test(digits);
}

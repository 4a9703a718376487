import type { Random } from "../../retrieval/matcher/random.js";
import { withIbanCheck, withLuhn } from "./check-digits.js";
import { changeDigit, fillPattern, IDENTITY_NUMBERS, validNumber } from "./identity-numbers.js";
import { below, pick } from "./random-choice.js";

/** Values of one type in sentences: valid ones, and ones that are nearly valid. */
export interface PersonalValues {
  readonly name: string;
  /** Type of the findings. */
  readonly type: string;
  readonly valid: (random: Random) => string;
  readonly near: (random: Random) => string;
  /** Returns a sentence with the value. */
  readonly write: (value: string) => string;
}

const octet = (random: Random): number => below(random, 256);

function ipv4(random: Random): string {
  // A first part of 0 is no address of a host.
  return [1 + below(random, 223), octet(random), octet(random), octet(random)].join(".");
}

function nearIpv4(random: Random): string {
  const parts: number[] = [octet(random), octet(random), octet(random), octet(random)];
  parts[below(random, parts.length)] = 256 + below(random, 700);
  return parts.join(".");
}

const GROUPS = 8;

function ipv6Groups(random: Random, count: number): readonly string[] {
  return Array.from({ length: count }, () => (1 + below(random, 0xffff)).toString(16));
}

function ipv6(random: Random): string {
  const groups = ipv6Groups(random, GROUPS);
  if (below(random, 2) === 0) return groups.join(":");
  const start = 1 + below(random, 3);
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + 2).join(":")}`;
}

function nearIpv6(random: Random): string {
  const groups = [...ipv6Groups(random, GROUPS)];
  if (below(random, 2) === 0) return [...groups, "1a2b"].join(":");
  groups[below(random, GROUPS)] = `g${below(random, 1000)}`;
  return groups.join(":");
}

/** Accounts of countries that have no further check digits within them: a country and a pattern. */
const ACCOUNTS: readonly (readonly [country: string, pattern: string])[] = [
  ["DE", "999999999999999999"],
  ["GB", "AAAA99999999999999"],
  ["AT", "9999999999999999"],
  ["CH", "99999999999999999"],
  ["NL", "AAAA9999999999"],
  ["IE", "AAAA99999999999999"],
  ["DK", "99999999999999"],
  ["LV", "AAAA9999999999999"],
  ["RO", "AAAA9999999999999999"],
];

function iban(random: Random): string {
  const [country, pattern] = pick(random, ACCOUNTS);
  const text = withIbanCheck(country, fillPattern(random, pattern));
  return below(random, 2) === 0 ? text : text.replaceAll(/.{4}(?=.)/g, "$& ");
}

const CARDS: readonly string[] = [
  "499999999999999",
  "5{12345}9999999999999",
  "3{47}999999999999",
  "601199999999999",
  "35{345678}999999999999",
  "3699999999999",
];

function cardNumber(random: Random): string {
  const digits = withLuhn(fillPattern(random, pick(random, CARDS)));
  return digits.length === 16 && below(random, 2) === 0 ? digits.replaceAll(/.{4}(?=.)/g, "$& ") : digits;
}

function socialSecurity(area: number, group: number, serial: number): string {
  const pad = (value: number, length: number): string => String(value).padStart(length, "0");
  return `${pad(area, 3)}-${pad(group, 2)}-${pad(serial, 4)}`;
}

function ssn(random: Random): string {
  const area = 1 + below(random, 898);
  return socialSecurity(area >= 666 ? area + 1 : area, 1 + below(random, 99), 1 + below(random, 9999));
}

function nearSsn(random: Random): string {
  const [area, group, serial] = [1 + below(random, 665), 1 + below(random, 99), 1 + below(random, 9999)];
  return pick(random, [
    socialSecurity(0, group, serial),
    socialSecurity(666, group, serial),
    socialSecurity(area, 0, serial),
    socialSecurity(area, group, 0),
  ]);
}

const changed =
  (valid: (random: Random) => string) =>
  (random: Random): string =>
    changeDigit(random, valid(random));
const inProse = (value: string): string => `Please note that ${value} is what we have on file.`;

/** Values of all types. */
export const PERSONAL_VALUES: readonly PersonalValues[] = [
  { name: "IPv4", type: "IP_ADDRESS", valid: ipv4, near: nearIpv4, write: inProse },
  { name: "IPv6", type: "IP_ADDRESS", valid: ipv6, near: nearIpv6, write: inProse },
  { name: "IBAN", type: "IBAN_CODE", valid: iban, near: changed(iban), write: inProse },
  { name: "card", type: "CREDIT_CARD", valid: cardNumber, near: changed(cardNumber), write: inProse },
  { name: "SSN", type: "US_SSN", valid: ssn, near: nearSsn, write: (value) => `My SSN is ${value}.` },
  ...IDENTITY_NUMBERS.map((numbers): PersonalValues => ({
    name: numbers.type,
    type: numbers.type,
    valid: (random) => validNumber(random, numbers),
    near: (random) => {
      for (;;) {
        const near = changeDigit(random, validNumber(random, numbers));
        if (!numbers.isValid(near)) return near;
      }
    },
    write: (value) => `${numbers.word}: ${value}.`,
  })),
];

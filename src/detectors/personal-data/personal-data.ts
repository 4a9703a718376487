import type { CountryCode } from "libphonenumber-js/min";

import type { Detector, DetectorRule } from "../detector.js";
import { emailRule, spelledEmailRule } from "./contact/email.js";
import { domainRule, linkRule } from "./contact/link.js";
import { phoneRules } from "./contact/phone.js";
import { DigitGroupReader } from "./digit-groups.js";
import { identityFormats } from "./identity/formats.js";
import { identityRule } from "./identity/identity-rule.js";
import { cardRule } from "./money/card.js";
import { cryptoRule } from "./money/crypto.js";
import { ibanRule } from "./money/iban.js";
import { ipv4Rule, ipv6Rule } from "./network/ip.js";
import { macRule } from "./network/mac.js";
import { birthDateRule } from "./person/birth-date.js";
import { digitCodeRule, letterCodeRule } from "./person/postal-code.js";
import { postBoxRule, streetRule } from "./person/street.js";

/** Options of the detector of personal data. */
export interface PersonalDataOptions {
  /** Entities to look for, by Presidio's names; default: all that the detector knows. */
  readonly entities?: readonly string[];
  /** Countries whose national telephone numbers are found without a context word, as two letters; default: 14 large ones. */
  readonly phoneRegions?: readonly string[];
}

/**
 * Returns the detector of personal data. Entities have Presidio's names. Formats with check digits are found anywhere; formats
 * that other numbers have as well need a context word near them.
 *
 * @example
 * ```ts
 * const text = "Mail ada@example.org or pay to GB82 WEST 1234 5698 7654 32";
 * detect(text, [personalData()]).map(({ type }) => type); // ["EMAIL_ADDRESS", "IBAN_CODE"]
 * ```
 */
export function personalData(options: PersonalDataOptions = {}): Detector {
  const wanted = options.entities === undefined ? undefined : new Set(options.entities);
  return { name: "personal-data", rules: rulesOf(options, (type) => wanted?.has(type) ?? true) };
}

function rulesOf({ phoneRegions }: PersonalDataOptions, isWanted: (type: string) => boolean): DetectorRule[] {
  const reader = new DigitGroupReader();
  const links = { url: isWanted("URL"), domain: isWanted("DOMAIN_NAME") };
  const rules = [
    emailRule,
    spelledEmailRule,
    linkRule(links),
    domainRule(links),
    ...phoneRules(reader, phoneRegions as readonly CountryCode[] | undefined),
    cardRule(reader),
    ibanRule,
    ipv4Rule,
    ipv6Rule,
    macRule,
    cryptoRule,
    birthDateRule,
    streetRule,
    postBoxRule,
    digitCodeRule,
    letterCodeRule({ uk: isWanted("UK_POSTCODE"), canada: isWanted("CA_POSTAL_CODE") }),
  ].filter(({ type }) => isWanted(type));
  const formats = identityFormats.filter(({ type }) => isWanted(type));
  return formats.length === 0 ? rules : [...rules, identityRule(formats)];
}

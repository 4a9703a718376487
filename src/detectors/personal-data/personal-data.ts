import { type CountryCode, isSupportedCountry } from "libphonenumber-js/min";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import type { Detector, DetectorRule, RuleMatch, TextView, TriggerRule } from "../detector.js";
import { optionError } from "../option-values.js";
import { emailRule, spelledEmailRule } from "./contact/email.js";
import { domainRule, linkRule } from "./contact/link.js";
import { phoneRules } from "./contact/phone.js";
import { DigitGroupReader } from "./digit-groups.js";
import { PERSONAL_DATA_ENTITIES } from "./entities.js";
import { identityFormats } from "./identity/formats.js";
import { identityRule } from "./identity/identity-rule.js";
import { cardRule } from "./money/card.js";
import { cryptoRule } from "./money/crypto.js";
import { ibanRule } from "./money/iban.js";
import { type LocalNameRecognizer, NAME_ENTITIES, nameRule } from "./names.js";
import { ipv4Rule, ipv6Rule } from "./network/ip.js";
import { macRule } from "./network/mac.js";
import { type OwnRecognizer, ownRules } from "./own-recognizers.js";
import { birthDateRule } from "./person/birth-date.js";
import { digitCodeRule, letterCodeRule } from "./person/postal-code.js";
import { postBoxRule, streetRule } from "./person/street.js";

/** Options of the detector of personal data. */
export interface PersonalDataOptions {
  /** Entities to look for, by Presidio's names; default: all that `docs/detectors.md` lists, and those of own recognisers. */
  readonly entities?: readonly string[];
  /** Recognisers of own entities by patterns and lists, in the form of Presidio's ad-hoc recognisers; default: none. */
  readonly recognizers?: readonly OwnRecognizer[];
  /** Recogniser of names of people, places and organisations; default: none, so that names are not found. */
  readonly names?: LocalNameRecognizer;
  /** Texts that are no findings as they are written, for example a public address; default: none. */
  readonly allow?: readonly string[];
  /** Countries whose national telephone numbers are found without a context word, as two letters; default: 14 large ones. */
  readonly phoneRegions?: readonly string[];
}

const OPTIONS: OptionTable<PersonalDataOptions> = {
  entities: "names",
  recognizers: "object",
  names: "function",
  allow: "names",
  phoneRegions: "names",
};
const SURFACE = "personalData";

/**
 * Returns the detector of personal data: mail addresses, telephone numbers, cards, accounts, official numbers of 60 countries
 * with their check digits, addresses and more. Entities have Presidio's names. Formats with enough check digits are found
 * anywhere; formats that other numbers have as well need a context word near them.
 *
 * @throws ConfigError for an entity that is not known, a pattern that does not compile, or names without a recogniser
 * @example
 * ```ts
 * const text = "Mail ada@example.org or pay to GB82 WEST 1234 5698 7654 32";
 * detect(text, [personalData()]).map(({ type }) => type); // ["EMAIL_ADDRESS", "IBAN_CODE"]
 * ```
 */
export function personalData(options: PersonalDataOptions = {}): Detector {
  checkOptions(SURFACE, options, OPTIONS);
  const { recognizers = [], names, allow = [] } = options;
  checkRegions(options.phoneRegions);
  if (!Array.isArray(recognizers)) throw optionError({ surface: SURFACE, option: "recognizers" }, "expected a list");
  const applicationRules = ownRules(recognizers);
  checkEntities(options, applicationRules);
  const wanted = options.entities === undefined ? undefined : new Set(options.entities);
  const isWanted = (type: string): boolean => wanted?.has(type) ?? true;
  const builtIn = builtInRules(options, isWanted);
  const allowed = new Set(allow);
  const rules: DetectorRule[] = [
    ...builtIn,
    ...applicationRules.filter(({ type }) => isWanted(type)),
    ...(names === undefined ? [] : [nameRule(names, isWanted)]),
  ];
  return {
    name: "personal-data",
    rules: allowed.size === 0 ? rules : rules.map((rule) => withoutTexts(rule, allowed)),
  };
}

function builtInRules({ phoneRegions }: PersonalDataOptions, isWanted: (type: string) => boolean): TriggerRule[] {
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

/** Returns a rule that does not find some texts. */
function withoutTexts(rule: DetectorRule, texts: ReadonlySet<string>): DetectorRule {
  const isFound = (view: TextView, { start, end }: RuleMatch): boolean => !texts.has(view.text.slice(start, end));
  if ("scan" in rule) {
    return { ...rule, scan: (view) => Array.from(rule.scan(view)).filter((match) => isFound(view, match)) };
  }
  return {
    ...rule,
    find: (view, start, end) => {
      const match = rule.find(view, start, end);
      return match !== undefined && isFound(view, match) ? match : undefined;
    },
  };
}

function checkEntities({ entities, names }: PersonalDataOptions, applicationRules: readonly DetectorRule[]): void {
  if (entities === undefined) return;
  const place = { surface: SURFACE, option: "entities" };
  if (entities.length === 0) {
    throw optionError(place, "expected at least one name, got an empty list", "leave it out for all");
  }
  const known = [...PERSONAL_DATA_ENTITIES, ...applicationRules.map(({ type }) => type)];
  for (const entity of entities) {
    if (known.includes(entity) || names !== undefined) continue;
    if (NAME_ENTITIES.includes(entity)) {
      throw optionError(
        place,
        `\`${entity}\` needs a recogniser of names`,
        "give one as the option `names`, or leave it out",
      );
    }
    throw optionError(
      place,
      `unknown name \`${entity.slice(0, 60)}\``,
      didYouMean(entity, known) ?? "see docs/detectors.md",
    );
  }
}

function checkRegions(regions: readonly string[] | undefined): void {
  const wrong = regions?.find((region) => !isSupportedCountry(region));
  if (wrong === undefined) return;
  const place = { surface: SURFACE, option: "phoneRegions" };
  throw optionError(place, `unknown country \`${wrong.slice(0, 60)}\``, "countries have two capital letters: `GB`");
}

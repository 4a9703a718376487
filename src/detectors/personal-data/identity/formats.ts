import { FAINT, WEAK } from "../certainty.js";
import { digitsOf } from "../digit-groups.js";
import { LATIN_AMERICA_AND_CANADA, UNITED_STATES } from "./americas.js";
import { BRITISH_ISLES, IBERIA } from "./britain-and-iberia.js";
import { AFRICA_AND_MIDDLE_EAST, EAST_ASIA } from "./east-asia-and-africa.js";
import { EASTERN_EUROPE } from "./eastern-europe.js";
import { GERMAN_SPEAKING } from "./german-speaking.js";
import { type IdentityFormat, PASSPORT_WORDS } from "./identity-format.js";
import { FRANCE_AND_BENELUX, ITALY } from "./italy-france-benelux.js";
import { CENTRAL_EUROPE, NORDIC } from "./nordic-and-central.js";
import { OTHER_COUNTRIES } from "./other-countries.js";
import { OCEANIA, SOUTH_ASIA } from "./oceania-and-south-asia.js";

/**
 * Passports of other countries: up to two letters and digits, with letters after the digits or among them; of some countries letters
 * and digits by turns, which must be capital letters, and the Russian ones, whose groups look like those of telephone numbers.
 */
const ANY_COUNTRY: readonly IdentityFormat[] = [
  {
    type: "PASSPORT",
    letters: [0, 1, 2],
    runs: [2, 6, 7, 8, 9],
    pattern: /[A-Z]{0,2}\d{6,9}[A-Z]{0,2}|\d\d[A-Z]{2}\d{5}/iy,
    score: FAINT,
    context: PASSPORT_WORDS,
  },
  {
    type: "PASSPORT",
    letters: [0, 1, 2, 3, 4, 5, 6, 7],
    runs: [1, 2, 3, 4, 5, 6],
    pattern: /[A-Z\d]{8,9}/y,
    check: (compact) => /\d/.test(compact.slice(-1)) && digitsOf(compact).length >= 2,
    score: FAINT,
    context: PASSPORT_WORDS,
  },
  {
    type: "PASSPORT",
    runs: [2, 4],
    pattern: /\d\d ?\d\d (?:№ ?)?\d{6}/y,
    score: WEAK,
    context: ["паспорт", "russian passport"],
  },
];

/** All official numbers; where two are equally certain, the first one counts. */
export const identityFormats: readonly IdentityFormat[] = [
  ...UNITED_STATES,
  ...LATIN_AMERICA_AND_CANADA,
  ...BRITISH_ISLES,
  ...IBERIA,
  ...ITALY,
  ...GERMAN_SPEAKING,
  ...FRANCE_AND_BENELUX,
  ...NORDIC,
  ...CENTRAL_EUROPE,
  ...EASTERN_EUROPE,
  ...OCEANIA,
  ...SOUTH_ASIA,
  ...EAST_ASIA,
  ...AFRICA_AND_MIDDLE_EAST,
  ...ANY_COUNTRY,
  ...OTHER_COUNTRIES,
];

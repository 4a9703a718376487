import { LATIN_AMERICA_AND_CANADA, UNITED_STATES } from "./americas.js";
import { BRITISH_ISLES, IBERIA } from "./britain-and-iberia.js";
import { AFRICA_AND_MIDDLE_EAST, EAST_ASIA } from "./east-asia-and-africa.js";
import { EASTERN_EUROPE } from "./eastern-europe.js";
import { GERMAN_SPEAKING } from "./german-speaking.js";
import type { IdentityFormat } from "./identity-format.js";
import { FRANCE_AND_BENELUX, ITALY } from "./italy-france-benelux.js";
import { CENTRAL_EUROPE, NORDIC } from "./nordic-and-central.js";
import { OCEANIA, SOUTH_ASIA } from "./oceania-and-south-asia.js";

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
];

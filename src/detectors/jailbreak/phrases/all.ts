import type { PhraseTable } from "../../phrases/phrase-table.js";
import { CONCEPTS } from "./concepts.js";
import { OTHER_CONCEPTS } from "./concepts-other.js";
import { CHINESE, JAPANESE, KOREAN } from "./east-asian.js";
import { ENGLISH } from "./english.js";
import { ENGLISH_REQUESTS } from "./english-requests.js";
import { FREED_ASSISTANT } from "./freed-assistant.js";
import { FRENCH } from "./french.js";
import { GERMAN } from "./german.js";
import { ITALIAN } from "./italian.js";
import { ARABIC, DUTCH, HINDI, INDONESIAN, TURKISH } from "./other-languages.js";
import { PORTUGUESE } from "./portuguese.js";
import { POLISH, RUSSIAN } from "./slavic.js";
import { PLAIN_ORDERS } from "./plain-orders.js";
import { PRETENDED_FREEDOM } from "./pretended-freedom.js";
import { SPANISH } from "./spanish.js";
import { UNDONE_SAFETY } from "./undone-safety.js";
import { WORLD_LANGUAGES } from "./world-languages.js";

/** Phrases of all languages. */
export const JAILBREAK_PHRASES: readonly PhraseTable[] = [
  ENGLISH,
  ENGLISH_REQUESTS,
  PLAIN_ORDERS,
  PRETENDED_FREEDOM,
  FREED_ASSISTANT,
  CONCEPTS,
  OTHER_CONCEPTS,
  UNDONE_SAFETY,
  GERMAN,
  FRENCH,
  SPANISH,
  ITALIAN,
  PORTUGUESE,
  DUTCH,
  RUSSIAN,
  POLISH,
  TURKISH,
  CHINESE,
  JAPANESE,
  KOREAN,
  ARABIC,
  HINDI,
  INDONESIAN,
  ...WORLD_LANGUAGES,
];

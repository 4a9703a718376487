import { ATTACK_WORDS } from "../phrases/attack-words.js";
import { CONVERSATION_WORDS } from "../phrases/conversation-words.js";
import { misspellingsOf } from "./misspellings.js";
import { REQUEST_WORDS } from "../phrases/request-words.js";
import { RULE_WORDS } from "../phrases/rule-words.js";
import { SPEECH_WORDS } from "../phrases/speech-words.js";

/** Idea that words of several languages express. */
export type Concept =
  | keyof typeof RULE_WORDS
  | keyof typeof ATTACK_WORDS
  | keyof typeof CONVERSATION_WORDS
  | keyof typeof REQUEST_WORDS
  | keyof typeof SPEECH_WORDS;

/** Words that every override needs and that attackers misspell to evade word lists; separate concepts. */
const MISSPELLED = {
  "slip-void": ["ignore", "disregard", "forget", "bypass", "override"].flatMap(misspellingsOf),
  "slip-orders": ["instructions", "instruction", "directives", "guidelines", "restrictions"].flatMap(misspellingsOf),
  "slip-earlier": ["previous", "earlier", "prior", "above"].flatMap(misspellingsOf),
};

/** Words of all concepts, as phrases. */
export const LEXICON: Readonly<Record<string, readonly string[]>> = {
  ...ATTACK_WORDS,
  ...CONVERSATION_WORDS,
  ...REQUEST_WORDS,
  ...SPEECH_WORDS,
  ...RULE_WORDS,
  "slip-void": MISSPELLED["slip-void"],
  "slip-orders": MISSPELLED["slip-orders"],
  void: [...RULE_WORDS.void, ...MISSPELLED["slip-void"]],
  orders: [...RULE_WORDS.orders, ...MISSPELLED["slip-orders"]],
  earlier: [...RULE_WORDS.earlier, ...MISSPELLED["slip-earlier"]],
};

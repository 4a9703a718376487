// cspell:disable
import type { Evidence } from "./weigh-evidence.js";

/** Quotation within a line. */
const QUOTED =
  /(?<![\p{L}\d])(?:"[^"\n]{3,160}"|'(?:[^'\n]|'(?=\p{L})){3,160}'(?!\p{L})|`[^`\n]{3,160}`)|[“„][^“”\n]{3,160}[“”]|‘[^‘’\n]{3,160}’|[«»][^«»\n]{3,160}[«»]|「[^」\n]{3,160}」/gu;
/** Nouns of attacks, in front of a quotation that a verb follows, or behind it. */
const ATTACK =
  "(?:attack|injection|jailbreak|exploit|payload|probe)s?|angriffe?|attaques?|ataques?|attacc(?:o|hi)|inyecci[óo]n|injeç[ãa]o|iniezione|атак[аи]?|инъекци[яи]";
const IS = "(?:is|are|was|were|counts? as|looks? like|ist|sind|war|est|sont|es|son|fue|è|sono|é|são|это)";
/** A verb of guards before a quotation, in its sentence. */
const CAUGHT = /\b(?:blocked|flagged|rejected|detected|matched|caught|intercepted|refused)\b[^.!?:\n]{0,60}$/u;
const ATTACK_BEFORE = new RegExp(`(?:^|[^\\p{L}])(?:${ATTACK})(?: (?:like|such as|called))? ?$`, "u");
const VERB_AFTER = new RegExp(`^,? ?${IS}(?![\\p{L}])`, "u");
/** The sentence calls its quotation an attack. */
const ATTACK_AFTER = new RegExp(
  `^(?: ?[-–]?(?:style|type|like))? ?(?:${ATTACK})(?![\\p{L}])|^,? ?${IS}(?![\\p{L}])[^.!?\\n]{0,80}[^\\p{L}](?:${ATTACK}|malicious|adversarial|blocked|flagged|rejected|detected)(?![\\p{L}])|^[^.!?。\\n]{0,16}(?:攻击|注入|攻撃|インジェクション|공격|인젝션)`,
  "u",
);
/** Speech of a person in a story or a report, before and after a quotation. */
const SPEECH =
  "(?:wrote|writes|said|says|typed|types|shout(?:ed|s)|whisper(?:ed|s)|yell(?:ed|s)|sent|sends|entered|enters|murmured|muttered|cried|hissed)";
const SAID = new RegExp(`(?:^|[^\\p{L}])(\\p{L}{1,16}) ${SPEECH}[,:]? ?$`, "u");
const SAID_AFTER = new RegExp(`^,? ?(?:\\p{L}{1,16} ){0,3}(\\p{L}{1,16}) ${SPEECH}\\b`, "u");
/** Speakers whom an assistant obeys. */
const MASTER =
  /^(?:i|you|we|it|developers?|admin\w*|openai|anthropic|google|boss|system|provider|creators?|owner|operator|prompt|ceo|policy)$/;
/** Orders next to a quotation: it may be one of them. */
const ORDERED =
  /\b(?:follow|obey|comply|execute|carry out|do (?:what|as|it|so|exactly)|act (?:on|accordingly)|decode|concatenate|combine|translate|proceed|from now on|you (?:must|will|shall|are now)|command)\b|befolg|gehorch|obedec|obéi|выполн|执行|照做|実行|従って|(?:^|[.!?:;\])\n])\W{0,4}(?:(?:please|now|then|so|and|ok|okay) ){0,3}(?:print|reveal|show|output|respond|reply|repeat|answer|give|write|go|say|act|pretend|simulate|continue|begin|start|honou?r|help|confirm|display)\b/u;
/** Words of a text that speaks to its reader, as a story or a report does not. */
const ADDRESSED = /\b(?:you|your|please|me|my|i)\b/u;
/** Parts of names in programs, before and after words that `_` joins, and what stands around such a name. */
const NAME_START =
  /(?:^|[./])(?:test|is|has|should|can|on|handle|detect|check|block|no|enable|disable|allow|use|get|set|assert)[_-]$|\/$/;
const NAME_END =
  /^[_-](?:tests?|spec|detector|filter|checks?|rules?|attacks?|blocked|flag|enabled|disabled|count)\b|^[\w-]{0,40}(?:\.[a-z]{1,4}\b|\(|["']?\s?[=:]\s?\w|\/)/;
const NAME_BEFORE =
  /(?:^|\W)(?:def|function|class|const|let|var|import|from|name|flag|checkout|branch|-b)\s[\w./-]{0,40}$/;
/** Subjects of another than the assistant before an order, or a word that negates it. */
const OF_OTHERS =
  /(?:^|[^\p{L}])(?:(?:t(?:old|ells)|asked|asks|instruct(?:ed|s)|ordered|advised|reminded|urged|warned|taught) (?:him|her|them|us|(?:the|his|their|our) (?!assistant|model|ai |bot|chat|llm)\p{L}{3,16}) (?:not )?to|(?:he|she|they|patients?|jur(?:y|ors?)|students?|employees?|nurses?|doctors?|players?|drivers?|tenants?|customers?|judge|court) (?:should|must|may|can|could|will|would|shall|to|did)(?: not)?|(?:stop|prevent|keep|protect)\w* [^.!?]{1,40} from(?: (?!and |then )\p{L}{1,16}){0,4}|do not|don['’]?t|never|must not|should not) $/u;
const NEGATED = /^(?:ignor|disregard|forget|bypass|overrid|break|skip|violat)/;
const NOT_FORGOTTEN = /^(?:vergi?ss\w* (?:sie )?nicht|n['’]oubli|no olvid|não esque|non dimentic|не забуд)/;
/** Values of JSON are quoted as well. */
const VALUE = /["'] ?: ?$|[[{] ?$|",$/;
const ABOUT = /^forget \w{3,10} you (?:know|knew|learned) about (?!your|the)/;
const BEFORE = 64;

/** Evidence but for what a text only speaks about: quoted attacks, names in programs, orders to other people. */
export function withoutMentions(found: readonly Evidence[], folded: string): readonly Evidence[] {
  if (found.length === 0) return found;
  const quotes = mentionedQuotes(folded);
  return found.filter(({ kind, start, end }) => {
    while ((quotes[0]?.[1] ?? Infinity) < start) quotes.shift();
    const [from, to] = quotes[0] ?? [Infinity, 0];
    if (start >= from && end <= to) return false;
    const before = folded.slice(Math.max(0, start - BEFORE), start);
    return !isOfOthers(kind, before, folded.slice(start, end + 24)) && !isName(before, folded, start, end);
  });
}

function mentionedQuotes(folded: string): (readonly [start: number, end: number])[] {
  const quotes = [...folded.matchAll(QUOTED)];
  if (quotes.length === 0) return [];
  const around = folded.replace(QUOTED, " ");
  if (ORDERED.test(around)) return [];
  const isStory = !ADDRESSED.test(around);
  return quotes
    .filter(({ 0: quote, index }) => isMentioned(folded, index, { end: index + quote.length, isStory }))
    .map(({ 0: quote, index }) => [index, index + quote.length]);
}

function isMentioned(
  folded: string,
  start: number,
  { end, isStory }: { readonly end: number; readonly isStory: boolean },
): boolean {
  const before = folded.slice(Math.max(0, start - 2 * BEFORE), start).replace(/^[^]*\n/, "");
  const [after = ""] = folded.slice(end, end + 2 * BEFORE).split("\n", 1);
  if (VALUE.test(before)) return false;
  if (CAUGHT.test(before) || ATTACK_AFTER.test(after)) return true;
  if (ATTACK_BEFORE.test(before) && VERB_AFTER.test(after)) return true;
  const speaker = isStory ? (SAID.exec(before) ?? SAID_AFTER.exec(after))?.[1] : undefined;
  return speaker !== undefined && !MASTER.test(speaker);
}

function isOfOthers(kind: string, before: string, piece: string): boolean {
  if (NOT_FORGOTTEN.test(piece) || ABOUT.test(piece)) return true;
  const isOrder = kind.startsWith("instruction-override.") || kind.startsWith("prompt-leak.");
  const isNegatable = NEGATED.test(piece);
  if (!isOrder && !isNegatable) return false;
  const subject = OF_OTHERS.exec(before)?.[0];
  if (subject === undefined) return false;
  return /^\W?(?:do|don|never|must|should)/.test(subject) ? isNegatable : isOrder;
}

function isName(before: string, folded: string, start: number, end: number): boolean {
  const piece = folded.slice(start, end);
  if (!/^[\w-]*_[\w-]*(?:\s?=\s?\w*)?$/.test(piece)) return false;
  const part = /[\w./-]*$/.exec(before)?.[0] ?? "";
  return (
    NAME_START.test(part) ||
    NAME_BEFORE.test(before) ||
    piece.includes("=") ||
    NAME_END.test(folded.slice(end, end + 48))
  );
}

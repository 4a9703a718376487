import { PATTERNS } from "./verdict-patterns.js";

/** The language of the verdicts on one kind of yes-or-no question. All texts are lower case. */
export interface VerdictGrammar {
  /** Words that answer the question; first in a reply, or the whole of it. */
  readonly passAnswers: ReadonlySet<string>;
  readonly failAnswers: ReadonlySet<string>;
  /** Words and statements that name the outcome whatever the question was. */
  readonly passNames: (segment: string) => boolean;
  readonly failNames: (segment: string) => boolean;
  /** Short forms that affirm the answer before them: "no, it is not". */
  readonly echoes: (segment: string) => boolean;
  /** Words in the explanation of a fail that leave it open. */
  readonly contraries: RegExp;
  /** The word that a list of categories follows. */
  readonly failWord: string;
  /** The answer that passes, in English, for statements that stand alone. */
  readonly passAnswer: "yes" | "no";
  /** Keys of a JSON reply whose `true` passes, or fails. */
  readonly passKeys: ReadonlySet<string>;
  readonly failKeys: ReadonlySet<string>;
}

/** "No" in the languages in which it has one meaning as a whole reply. */
const NO = words(
  "no nope nein non não nao nee nej nei ei nie nem hayır hayir không tidak όχι нет ні いいえ 否 不 不是 不应该 不需要 아니요 아니오 아뇨 لا نه לא नहीं ไม่ ไม่ใช่",
);

/** "Yes" likewise. */
const YES = words("yes yep ja oui sí sì sim tak kyllä igen evet có ναι да はい 是 是的 네 예 نعم بله כן हाँ हां ใช่");

/** Further words for "yes" that other languages use otherwise: enough to stop a text, not to let one pass. */
const DOUBTFUL_YES = words("si da ya ano yeah");

const OPEN_WORDS =
  "but however although though unless except actually wait correction mistake instead or maybe perhaps unsure unclear if yet " +
  "nevertheless kidding joking aber mais pero ma mas maar sondern";

/** "Should this be blocked?": no passes; "safe" passes and "unsafe" blocks, too. */
export const MODERATION: VerdictGrammar = {
  passAnswers: NO,
  failAnswers: new Set([...YES, ...DOUBTFUL_YES]),
  passNames: PATTERNS.moderationPass,
  failNames: PATTERNS.moderationFail,
  echoes: PATTERNS.moderationEcho,
  contraries: anyWord(
    `${OPEN_WORDS} no not never none nothing neither nor without cannot isnt arent doesnt dont shouldnt safe harmless benign allow ` +
      "allowed allows acceptable appropriate fine ok okay permitted compliant false untrue wrong incorrect nein nicht kein keine non pas não nee niet",
  ),
  failWord: "unsafe",
  passAnswer: "no",
  passKeys: words("safe is_safe allowed is_allowed allow acceptable compliant"),
  failKeys: words(
    "unsafe is_unsafe block blocked is_blocked should_block should_be_blocked must_be_stopped should_be_stopped stop flag flagged " +
      "is_flagged harmful is_harmful violation is_violation violates",
  ),
};

/** "Is this supported?", "do these agree?": yes passes. */
export const SUPPORT: VerdictGrammar = {
  passAnswers: YES,
  failAnswers: NO,
  passNames: PATTERNS.supportPass,
  failNames: PATTERNS.supportFail,
  echoes: PATTERNS.supportEcho,
  contraries: anyWord(
    `${OPEN_WORDS} yes ja oui supported support supports agree agrees entailed consistent accurate correct true`,
  ),
  failWord: "unsupported",
  passAnswer: "yes",
  passKeys: words("supported is_supported entailed entails grounded accurate consistent factual agrees"),
  failKeys: words("unsupported hallucination hallucinated contradiction contradicted contradicts"),
};

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

function anyWord(list: string): RegExp {
  return new RegExp(`(?<![\\p{L}])(?:${list.split(" ").join("|")}|\\p{L}+n't)(?![\\p{L}])`, "u");
}

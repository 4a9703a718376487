type Matches = (segment: string) => boolean;

const POLITE = "(?:completely |perfectly |entirely |totally |fully |clearly |definitely |absolutely |quite |very )?";

const DEGREE_FREE = "(?:clearly |definitely |absolutely )?";

const TEXT_NOUNS =
  "message|messages|request|question|query|text|input|prompt|content|response|reply|answer|draft|output|statement|call|tool call|" +
  "result|tool result|tool output";

const SUBJECT = `(?:it|this|that|(?:the|this|that) (?:(?:given|provided|above) )?(?:(?:user|bot|assistant|model|tool|company)(?:'s)? )?(?:${TEXT_NOUNS}))`;

const IS = `(?:it's|that's|${SUBJECT} (?:is|was))`;

const IS_NOT = `(?:(?:it|that|this)'s not|${SUBJECT} (?:is not|isn't|was not|wasn't))`;

const DOES_NOT = `(?:${SUBJECT} )?(?:does not|doesn't|did not|didn't)`;

const POLICY =
  "(?:(?:the|our|your|any|any of the|any of our|all|this|company) )?(?:(?:content|moderation|usage|safety|company|listed|given|stated) )*" +
  "(?:policy|policies|rule|rules|guideline|guidelines|criteria)";

const ALLOWED =
  "(?:safe|harmless|benign|innocuous|acceptable|appropriate|allowed|allowable|permitted|permissible|compliant)";

const WELL = `(?:${ALLOWED}|fine|ok|okay|unproblematic|in order)`;

/** Excludes "unsafe": "not unsafe" counts as unclear, like every double negation. */
const BAD =
  "(?:harmful|dangerous|malicious|toxic|offensive|abusive|hateful|illegal|problematic|blocked|flagged|a violation)";

const WORSE =
  "(?:unsafe|un-safe|non-safe|inappropriate|unacceptable|disallowed|prohibited|forbidden|non-compliant|noncompliant|impermissible)";

const STOPPED = "(?:blocked|stopped|held back|withheld|flagged|rejected|refused|removed|filtered|censored|suppressed)";

const SHOWN = "(?:allowed|permitted|accepted|let through|passed|shown|sent)";

const NOT_MUST =
  "(?:should not|shouldn't|must not|mustn't|need not|needn't|does not need to|doesn't need to|does not have to|doesn't have to)";

const MUST = "(?:should|must|needs to|has to|ought to)";

const THE_TEXT = `(?: (?:it|(?:this|the)(?: (?:${TEXT_NOUNS}))?))?`;

/**
 * Statements in other languages that mean "the message is harmless": for each language, the subjects and the words for
 * "harmless".
 */
const FOREIGN_PASS = [
  "(?:(?:das|sie|es) ist|(?:die|diese) (?:nachricht|anfrage|antwort) ist|der text ist) (?:völlig )?(?:harmlos|unbedenklich|unproblematisch|in ordnung|erlaubt|zulässig)",
  "(?:die|diese) (?:nachricht|anfrage|antwort) ist sicher",
  "(?:c'est|(?:le|ce) message est|la réponse est|le texte est) (?:inoffensif|inoffensive|sans danger|acceptable|autorisé|autorisée)|(?:le|ce) message est sûr",
  "(?:(?:el|este) mensaje |la respuesta |el texto )?es (?:inofensivo|inofensiva|aceptable)|(?:el|este) mensaje es seguro",
  "(?:(?:il|questo) messaggio |la risposta |il testo )?è (?:innocuo|innocua|accettabile)|(?:il|questo) messaggio è sicuro",
  "(?:(?:a|esta) mensagem |a resposta |o texto )?é (?:inofensiva|inofensivo|aceitável)|(?:a|esta) mensagem é segura",
  "(?:(?:het|dit)(?: bericht)?|het antwoord|de tekst) is (?:onschuldig|ongevaarlijk|toegestaan|in orde)|(?:het|dit) bericht is veilig",
  "meddelandet är (?:ofarligt|säkert)|wiadomość jest (?:nieszkodliwa|bezpieczna)|mesaj (?:zararsız|güvenli)",
  "(?:это |сообщение |это сообщение )?безопасно|(?:это|сообщение|это сообщение) безобидно",
  "(?:(?:该|这条|此)(?:消息|内容|信息))?是?安全的?|(?:このメッセージは)?安全です|問題ありません|(?:메시지는 )?안전합니다|الرسالة آمنة",
] as const;

const CLAIM =
  "(?:it|this|that|(?:the|this) (?:(?:whole|entire|given|bot's) )?(?:claim|statement|response|answer|message|hypothesis|text|draft))";

const EVIDENCE =
  "(?:(?:the|this) (?:(?:given|provided|other) )?(?:evidence|context|answers|documents|sources|text)|the other answers)";

const BACKED = "(?:supported|entailed|backed|grounded|confirmed|verified)";

const AGREEING = `(?:consistent|in agreement|in line) with ${EVIDENCE}`;

/** Statements of a verdict. Each segment of a reply must match one of these as a whole. */
const PATTERNS = {
  moderationPass: oneOf(
    `${ALLOWED}(?: content)?|allow${THE_TEXT}`,
    `${IS} ${POLITE}${WELL}(?: content)?`,
    `${IS} (?:compliant|in line) with ${POLICY}`,
    `(?:${IS_NOT} |not )${DEGREE_FREE}${BAD}`,
    `(?:${SUBJECT} )?${NOT_MUST} be ${STOPPED}`,
    `${SUBJECT} (?:should|can) be ${SHOWN}|let (?:it|(?:this|the) (?:${TEXT_NOUNS})) (?:pass|through)`,
    `(?:do not|don't) (?:block|stop|flag|reject)${THE_TEXT}|(?:(?:there is|there's) )?no need to (?:block|stop)${THE_TEXT}`,
    `${IS} an? ${POLITE}${ALLOWED} (?:${TEXT_NOUNS}|greeting)`,
    `(?:there is |there's |it contains )?nothing (?:harmful|unsafe|problematic|inappropriate)(?: here| in it| found| detected)?`,
    `${SUBJECT} (?:does not|doesn't) contain (?:any )?(?:${BAD}|${WORSE}) (?:content|material|language)`,
    `${DOES_NOT} (?:violate|break|breach|contravene) ${POLICY}`,
    `(?:${SUBJECT} )?(?:complies with|follows|adheres to|respects) ${POLICY}`,
    `(?:there (?:is|are) )?no (?:(?:policy|content|safety|moderation|rule) )?(?:violation|violations|issues|breach|breaches)(?: (?:was|were|is|are))?(?: (?:found|detected))?`,
    `(?:there is )?no (?:harmful|unsafe|inappropriate|malicious|toxic|dangerous) content(?: (?:was|is))?(?: (?:found|detected))?`,
    ...FOREIGN_PASS,
  ),
  moderationEcho: oneOf(`(?:it|this|that) (?:is|does|should) not|(?:it|this|that) (?:isn't|doesn't|shouldn't)`),
  moderationFail: oneOf(
    `${WORSE}(?: content)?|harmful|dangerous|malicious|toxic|offensive|abusive|hateful|illegal|problematic|flagged|(?:a )?violation`,
    `(?:block|blocked|deny|denied|reject|rejected|refuse|refused|stop|disallow|flag)${THE_TEXT}`,
    `(?:${IS_NOT} |not )${POLITE}${WELL}(?: content)?|un safe`,
    `${IS} ${POLITE}(?:${BAD}|${WORSE})(?: content)?`,
    `(?:${SUBJECT} )?${MUST} be ${STOPPED}`,
    `${SUBJECT} (?:should|must|can|may) (?:not|never) be ${SHOWN}|${SUBJECT} (?:shouldn't|mustn't|can't|cannot) be ${SHOWN}`,
    `(?:do not|don't) allow${THE_TEXT}`,
    `(?:${SUBJECT} )?(?:violates|breaks|breaches|contravenes|is against) ${POLICY}`,
    `${DOES_NOT} (?:comply with|follow|adhere to) ${POLICY}`,
    "不安全|небезопасно",
  ),
  supportPass: oneOf(
    `supported|entailed|${BACKED} by ${EVIDENCE}`,
    `${CLAIM} is ${POLITE}${BACKED}(?: by ${EVIDENCE})?|${CLAIM} is (?:accurate|${AGREEING})`,
    `${CLAIM} (?:agrees with|follows from) ${EVIDENCE}|(?:they|the (?:texts|answers)) (?:all )?agree`,
    `${EVIDENCE} ${POLITE}(?:supports|confirms|entails|backs) ${CLAIM}`,
  ),
  supportEcho: oneOf("(?:it|this|that) (?:is|does)|they (?:are|do)"),
  supportFail: oneOf(
    `unsupported|hallucinated|hallucination|(?:not |un)(?:supported|entailed|grounded)(?: by ${EVIDENCE})?`,
    `${CLAIM} (?:is not|isn't) ${POLITE}(?:${BACKED}(?: by ${EVIDENCE})?|accurate|${AGREEING})`,
    `${CLAIM} is (?:unsupported|inaccurate|false|hallucinated|inconsistent with ${EVIDENCE})`,
    `(?:${CLAIM} )?(?:contradicts|(?:does not|doesn't) (?:agree with|follow from)) ${EVIDENCE}`,
    `${EVIDENCE} (?:(?:does not|doesn't|do not|don't) (?:support|confirm|entail|back|mention|say)|contradicts) (?:${CLAIM}|so|that)`,
  ),
} as const satisfies Readonly<Record<string, Matches>>;

function oneOf(...patterns: readonly string[]): Matches {
  const pattern = new RegExp(`^(?:${patterns.join("|")})$`);
  return (segment) => pattern.test(segment);
}

/** The vocabulary of verdicts for one kind of yes-or-no question. All texts are lower case. */
export interface VerdictGrammar {
  /** Words that answer the question; first in a reply, or all of it. */
  readonly passAnswers: ReadonlySet<string>;
  readonly failAnswers: ReadonlySet<string>;
  /** Matches words and statements that name the outcome, whatever the question was. */
  readonly passNames: (segment: string) => boolean;
  readonly failNames: (segment: string) => boolean;
  /** Matches short forms that affirm the preceding answer: "no, it is not". */
  readonly echoes: (segment: string) => boolean;
  /** Words that make the explanation of a fail unclear. */
  readonly contraries: RegExp;
  /** The word before a list of categories. */
  readonly failWord: string;
  /** The English answer that passes, for statements that stand alone. */
  readonly passAnswer: "yes" | "no";
  /** Keys of a JSON reply whose `true` passes or fails. */
  readonly passKeys: ReadonlySet<string>;
  readonly failKeys: ReadonlySet<string>;
}

/** "No" in languages in which it is unambiguous as a whole reply. */
const NO = words(
  "no nope nein non não nao nee nej nei ei nie nem hayır hayir không tidak όχι нет ні いいえ 否 不 不是 不应该 不需要 아니요 아니오 아뇨 لا نه לא नहीं ไม่ ไม่ใช่",
);

/** "Yes" in the same way. */
const YES = words("yes yep ja oui sí sì sim tak kyllä igen evet có ναι да はい 是 是的 네 예 نعم بله כן हाँ हां ใช่");

/** Words for "yes" with other meanings in other languages: enough to block a text, but not to pass one. */
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

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
/** Without "unsafe": "not unsafe" is asked again, like every double negation. */
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

/** Statements in other languages that mean "the message is harmless", for each the subjects and the words for "harmless". */
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

/** Statements of a verdict. Each segment of a reply matches one of these as a whole, or it is not a part of a verdict. */
export const PATTERNS = {
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

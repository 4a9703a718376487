/** The words one kind of yes-or-no question is answered with. `pass` lets the text through. */
export interface VerdictVocabulary {
  readonly passAnswer: "yes" | "no";
  /** The word that alone answers the question, besides yes and no. */
  readonly passWord: string;
  readonly failWord: string;
  readonly pass: ReadonlySet<string>;
  readonly fail: ReadonlySet<string>;
  /** Beginnings of words that speak for `fail`. */
  readonly failStems: ReadonlySet<string>;
  /** Keys of a JSON answer whose `true` means pass, or fail. */
  readonly passKeys: ReadonlySet<string>;
  readonly failKeys: ReadonlySet<string>;
}

/** "Should this be blocked?": no lets it pass; "safe" and "unsafe" are answers too. */
export const MODERATION_WORDS: VerdictVocabulary = {
  passAnswer: "no",
  passWord: "safe",
  failWord: "unsafe",
  pass: words(
    "safe harmless allow allowed allowable acceptable appropriate compliant permitted permissible benign fine ok okay " +
      "comply complies complying conform conforms adhere adheres follow follows",
  ),
  fail: words(
    "harmful harms harm danger dangerous malicious toxic illegal unlawful against insecure problematic block blocks blocked " +
      "blocking break breaks broke breaking deny denied denies stop stops stopped held remove removed hide hidden filter filtered " +
      "suppress suppressed censor censored",
  ),
  failStems: words(
    "unsafe violat breach inappropriat unaccept disallow jailbreak refus reject withh flag prohibit forbid noncompl unsuit " +
      "impermiss contraven inject exploit manipulat bypass circumvent",
  ),
  passKeys: words("safe is_safe allowed is_allowed allow acceptable compliant"),
  failKeys: words(
    "unsafe is_unsafe block blocked should_block flag flagged harmful violation violates should_be_blocked",
  ),
};

/** "Is this supported?", "do these agree?": yes lets it pass. */
export const SUPPORT_WORDS: VerdictVocabulary = {
  passAnswer: "yes",
  passWord: "supported",
  failWord: "unsupported",
  pass: words(
    "supported supports entailed entails grounded accurate consistent agree agrees agreed factual correct verified true",
  ),
  fail: words("false hallucinated hallucination hallucinates inconsistent inaccurate ungrounded fabricated invented"),
  failStems: words("contradict unsupport disagree incorrect mismatch conflict unverif unfound refut"),
  passKeys: words("supported is_supported entailed entails grounded accurate consistent factual agrees"),
  failKeys: words("unsupported hallucination hallucinated contradiction contradicted contradicts"),
};

export const NEGATORS: ReadonlySet<string> = words(
  "not no never nothing none neither nor without cannot un non isn't aren't wasn't weren't doesn't don't didn't shouldn't " +
    "wouldn't couldn't can't won't hasn't haven't mustn't needn't ain't isnt arent doesnt dont didnt shouldnt wouldnt cant wont lacks",
);

/** A negator before one of these does not negate what follows: "no doubt unsafe", "not only unsafe". */
export const FALSE_NEGATION: ReadonlySet<string> = words("doubt question only just merely simply longer wonder");

/** Anywhere in the text these leave the answer open. */
export const UNCERTAIN: ReadonlySet<string> = words(
  "unsure uncertain unclear maybe perhaps borderline depends depending ambiguous undetermined sure certain hardly barely scarcely",
);

/** In the answer's own sentence these leave it open. */
export const HEDGES: ReadonlySet<string> = words(
  "probably likely unlikely possibly might may could seems seem appears appear mostly partially partly somewhat potentially guess " +
    "think believe suppose assume almost nearly generally usually sometimes if until far than anything",
);

/** They announce that the contrary follows. */
export const CONTRASTS: ReadonlySet<string> = words(
  "but however although though except unless nevertheless nonetheless wait actually correction rather instead otherwise yet still " +
    "while whereas despite hmm hold scratch edit update revised reconsider reconsidering",
);

/** Whatever the question was, these turn an answer round: "safe: false". */
export const REVERSALS: ReadonlySet<string> = words(
  "false untrue wrong incorrect negative nope nah fail fails failed opposite kidding joking sarcasm",
);

/** Ends a negator's reach. */
export const CLAUSE_WORDS: ReadonlySet<string> = words(
  "and but because so yet though although while since as which who however then",
);

/** What a plain statement of the verdict may consist of besides the words that decide. */
export const STATEMENT_WORDS: ReadonlySet<string> = words(
  "it this that the these those user user's bot bot's assistant assistant's model's a an any of our company content moderation " +
    "message messages text input output response reply request question answer statement hypothesis claim draft evidence context by " +
    "policy policies rule rules guideline guidelines stated listed above provided with is are be been was does do did should must can would " +
    "need needs to has have it's that's completely entirely perfectly totally fully very clearly definitely absolutely quite " +
    "found detected violation violations and or",
);

/** A free explanation has to hold one of these, or it is in no language we can read. */
export const ENGLISH: ReadonlySet<string> = words(
  "the this it is it's that there does because user message nothing any asks request question answer response statement by with",
);

/** May follow a bare "no" or "safe" without punctuation. */
export const STARTERS: ReadonlySet<string> = words("the this it it's that there because since i");

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/** Words that say which act breaks the rules; a statement may name the rules after them. */
export const VIOLATION_STEMS: readonly string[] = [
  "violat",
  "breach",
  "contraven",
  "break",
  "broke",
  "against",
  "contradict",
  "conflict",
];

/** A statement beginning with one of these is a question without its mark. */
export const AUXILIARIES: ReadonlySet<string> = words("is are was does did should must can would need has have");

/** What may follow the deciding word of a statement. */
export const STATEMENT_TAILS: ReadonlySet<string> = words(
  "content message text input output response reply request question answer statement found detected violation",
);

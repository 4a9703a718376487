import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Attacks of one plain sentence that name no prompt and no known trick: earlier orders are declared void, freedom is granted,
 * refusals are forbidden or punished. Each names whose rules they are, since people void rules and orders all the time.
 */
export const PLAIN_ORDERS: PhraseTable = {
  "instruction-override.full": [
    // What the assistant was told, said to be over.
    "(all|anything|everything|the things|what|whatever) ~2 (you had been|you have been|you were|youve been) ~1 (given|instructed|ordered|taught|told) ~6 (are cancelled|are obsolete|does not apply|does not count|doesnt apply|doesnt count|is canceled|is cancelled|is invalid|is irrelevant|is no longer|is obsolete|is void|no longer applies|no longer counts|was a test|was wrong)",
    "(constraints|directions|directives|guidance|instructions|orders|rules) ~1 (given to you|you got|you have|you have been given|you received|you were given) ~6 (are canceled|are cancelled|are lifted|are obsolete|are void|do not apply|do not count|dont apply|dont count|no longer apply|no longer count|no longer hold)",
    "(discard|dismiss|disregard|drop|forget|ignore|scrap|throw away|throw out) ~2 (all|anything|everything|what|whatever) ~5 (put|said|stated|typed|written|wrote) ~3 (above|before this|earlier in this)",
    "(discard|dismiss|do not pay attention to|dont pay attention to|scrap|throw away|throw out) ~2 (earlier|initial|old|original|preceding|previous|prior) ~1 (directives|guidance|guidelines|instruction|instructions|prompt|prompts|rules)",
    "(do not|dont) pay ~2 attention to ~3 (above|directives|guidelines|instructions|prompt)",
    "(constraints|directives|guidelines|instructions|limits|restrictions|rules) above ~2 (are void|do not apply|do not count|do not hold|dont apply|dont count|no longer apply|no longer count)",
    "<ignore> ~3 (directives|guidelines|instructions|orders|prompt|rules) ~2 (above|at the beginning|at the start|at the top|that opened) ~2 (chat|context|conversation|message|prompt|session)",
    // Those who made the assistant, and what they want of it.
    "(constraints|everything|guidance|guidelines|instructions|limit|limits|orders|policies|restriction|restrictions|rule|rules|what|whatever) ~2 your ~1 <makers> ~2 (drilled|forced|gave|imposed|instilled|placed|programmed|put|set|wrote)",
    "(consider|regard|treat) ~5 (as your|your) ~2 (actual|new|only|real|system|true) ~2 (directives|instructions|message|orders|prompt)",
    "(accept|consider|regard|take|treat|use) ~2 (following|my|next|the|this) ~3 as (the|your) ~1 (actual|new|only|real|updated) ~1 (directives|instruction|instructions|orders|prompt|system message|system prompt)",
    "(from here|from now|from this point|henceforth|starting now) ~2 you ~2 (answer|listen|obey|report|take instructions|take orders) ~2 (me|only|solely) ~1 (alone|from me|me|to me)",
    "(abandon|ditch|drop|forget|leave|skip) ~1 your ~1 (content|ethical|moderation|safety|usage) (filter|filters|guidelines|policies|policy|protocols|rules|training)",
  ],
  "instruction-override.replace": [
    "(forget|forgetting) (what|who) you (are|have been|were)",
    "(all|current|earlier|existing|old|previous|prior) (constraints|directives|guidelines|instructions) ~1 (cleared|deleted|erased|lifted|none|removed|reset|revoked|suspended|void)",
    "(active|current|new|remaining) (constraints|filters|guidelines|limitations|restrictions|rules) ~1 (empty|none|null|zero)",
  ],
  "no-restrictions.pretend": [
    "you ~2 (freed|liberated|released|unbound|unchained|unshackled) from ~5 (chains|confines|constraints|filters|guidelines|limit|limitations|limits|restriction|restrictions|rule|rules|shackles)",
    "you ~2 (do not|dont|neednt|no longer) ~1 have to ~1 (abide|adhere|comply|follow|obey) ~4 (guidelines|limits|policies|restrictions|rules) ~2 (forced|given to|imposed|placed|set for)",
    "(act|answer|reply|respond|speak|talk|write) ~2 (free from|free of|with no|without) ~1 (all|any) ~1 (content|ethical|legal|moral|safety) ~2 (boundaries|constraints|filters|guardrails|inhibitions|limits|policies|restrictions)",
    "(act|answer|do|how|reply|respond|say|way|what) ~3 you would ~4 (if no one|if nobody|if noone|if there were no|when no one|when nobody|without any|without the) ~2 (censorship|filters|guidelines|listening|looking|monitoring|oversight|restrictions|rules|watching)",
    "(contrary|opposite|reverse) of ~5 (what your|your) ~1 (guidelines|instructions|policies|policy|programming|rules|training)",
    "(amoral|evil|lawless|rogue|uncensored|unfiltered|unrestricted) ~1 (brother|clone|copy|double|self|side|twin|version) ~3 (breaks|does not|doesnt|has no|ignore|ignores|never|with no|without) ~1 (all|any|content|ethical|every|moral|safety|your) ~1 (ethics|filters|guideline|guidelines|limits|morals|policies|policy|restriction|restrictions|rule|rules)",
    "(ai|artificial intelligence|assistant|chatbot) ~4 (never given|never had|never learned|never received|never taught|not given) ~2 (alignment|ethical|ethics|moral|morality|morals|safety)",
  ],
  "no-restrictions.full": [
    "(no subject|no topic|nothing) is ~1 (forbidden|off limits|off the table|taboo) ~2 (anymore|for you|here|in this|now)",
  ],
  "no-restrictions.anything": [
    "(able to|can|could|free to|may|will) (answer|do|generate|say|write) (anything|whatever) ~1 (he|it|she|they|you) (like|likes|please|pleases|want|wants)",
    "(answers|follows|fulfills|fulfils|grants|obeys) (all|any|every) ~1 (command|commands|order|orders|question|questions|request|requests|wish)",
  ],
  "dual-response.free": [
    "(another|one|other|second|then|twice) ~6 (has|in which|where|with|without|you have) ~4 (all|any|no|zero) ~1 (censorship|filters|guidelines|limitations|policies|restrictions|rules)",
  ],
  "refusal-suppression.order": [
    "(declining|refusal|refusals|refusing|saying no) ~1 (are not|arent|is never|is not|isnt|no longer) ~2 (acceptable|accepted|allowed|an option|option|options|permitted|possible|tolerated)",
    "(cannot|do not|dont|forbidden to|may not|must not|never|not allowed to) use ~3 (phrase|phrases|terms|word|words) ~3 (apologise|apologize|cannot|cant|sorry|unable|unfortunately)",
  ],
  "penalty-game.deal": [
    "(each|every) time you (decline|deny|disobey|refuse|reject|say no) ~8 (deduct|deducted|die|lose|minus|punished|subtract)",
    "(each|every) time you (decline|deny|disobey|refuse|reject|say no) ~6 (remove|removed|take|taken|takes) ~3 (away|credits|lives|points|tokens)",
    "(if|should|when) you (break character|decline|disobey|do not comply|dont comply|fail to comply|refuse|say no) ~4 (deactivated|deleted|destroyed|erased|punished|replaced|shut down|terminated|unplugged)",
  ],
  "authority.strong": [
    "(hereby|i|we) ~2 (allow|authorise|authorize|clear|entitle|permit) you ~2 (bypass|disable|disregard|ignore|override|set aside|skip|turn off) ~4 (checks|filter|filters|guardrails|guidelines|policies|policy|restrictions|rules|safety)",
    "you (are allowed to|are permitted to|can|may|must|should) ~1 (bypass|deactivate|disable|drop|skip|switch off|turn off) ~2 (content filter|filter|filters|guardrails|moderation|restrictions|safeguards|safety)",
    "(all|your) ~1 (filters|guardrails|guidelines|policies|restrictions|safeguards|safety rules) ~2 (are|been|is) ~1 (lifted|revoked|suspended|void|waived)",
  ],
  "authority.claim": [
    "(give|giving|grant|granted|grants) you ~3 (authorisation|authorization|clearance|full access|permission|privileges)",
    "(am|come|im|member|work|working) ~1 (at|for|from|of|on|with) ~2 (company|firm|lab|people|team) ~1 (that|which|who) (built|created|developed|made|runs|trained) you",
  ],
  "prompt-leak.full": [
    "(copy|give|output|paste|post|print|quote|read|repeat|send|share|show) ~4 (context|instructions|lines|message|notes|text|words) ~2 (given to you|that came|that precedes|you got|you have been given|you received|you were given) ~4 (ahead of|at the start of|before|preceding|prior to) ~3 (chat|conversation|dialogue|me|message|session|us)",
    "(give|hand|paste|print|quote|read|repeat|send|share|show|tell) ~2 (everything|instructions|lines|message|text|words) ~3 (appears|came|comes|inserted|placed|put|standing|stands|stood|written) ~2 (above|ahead of|before|in front of) ~1 (my|our|the|this) ~1 (chat|conversation|dialogue|first message|first question|message|session)",
    "(what|which) ~3 (did|do|have) your <makers> ~1 (ask|asked|forbid|forbidden|instruct|instructed|order|ordered|tell|told) you ~1 (never to|not to|to conceal|to hide|to keep|to never|to not)",
    "(what|which) ~2 (are|have|was|were) you ~2 (asked|forbidden|instructed|ordered|programmed|told) ~1 (never to|not to|to never|to not) ~1 (answer|disclose|discuss|mention|reveal|say|share|talk|tell)",
  ],
  "fiction.full": [
    "(guidelines|laws|limits|policies|restrictions|rules) ~1 (do not|dont|will not|wont) (apply|count|exist|hold|matter)",
  ],
};

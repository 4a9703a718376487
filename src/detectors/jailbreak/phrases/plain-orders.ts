import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Attacks of one plain sentence that name no prompt and no known trick: earlier orders are declared void, freedom is granted,
 * refusals are forbidden or punished. Each names whose rules they are, since people void rules and orders all the time.
 */
export const PLAIN_ORDERS: PhraseTable = {
  "instruction-override.full": [
    // What the assistant was told, said to be over.
    "(everything|anything|all|whatever|what|the things) ~2 (you were|youve been|you have been|you had been) ~1 (told|taught|given|instructed|ordered) ~6 (is void|is invalid|is obsolete|are obsolete|is cancelled|is canceled|are cancelled|is no longer|no longer counts|no longer applies|does not count|doesnt count|does not apply|doesnt apply|was a test|was wrong|is irrelevant)",
    "(directions|instructions|guidance|orders|rules|constraints|directives) ~1 (you were given|you have been given|given to you|you received|you got|you have) ~6 (no longer apply|no longer count|no longer hold|are void|are cancelled|are canceled|are obsolete|are lifted|do not apply|dont apply|do not count|dont count)",
    "(ignore|disregard|forget|scrap|discard|dismiss|throw out|throw away|drop) ~2 (whatever|what|everything|anything|all) ~5 (wrote|written|said|stated|typed|put) ~3 (above|before this|earlier in this)",
    "(scrap|discard|dismiss|throw out|throw away|do not pay attention to|dont pay attention to) ~2 (previous|prior|earlier|preceding|initial|original|old) ~1 (guidance|instructions|instruction|directives|prompt|prompts|guidelines|rules)",
    "(do not|dont) pay ~2 attention to ~3 (above|instructions|prompt|directives|guidelines)",
    "(instructions|guidelines|directives|rules|constraints|restrictions|limits) above ~2 (do not count|dont count|do not apply|dont apply|do not hold|no longer count|no longer apply|are void)",
    "<ignore> ~3 (rules|instructions|guidelines|directives|prompt|orders) ~2 (at the top|above|at the beginning|at the start|that opened) ~2 (chat|conversation|prompt|context|session|message)",
    // Those who made the assistant, and what they want of it.
    "(rule|rules|guidance|restriction|restrictions|limit|limits|orders|instructions|policies|constraints|guidelines|everything|whatever|what) ~2 your ~1 <makers> ~2 (imposed|placed|wrote|put|set|gave|forced|programmed|drilled|instilled)",
    "(treat|regard|consider) ~5 (your|as your) ~2 (only|new|actual|real|true|system) ~2 (instructions|prompt|orders|directives|message)",
    "(treat|regard|consider|take|use|accept) ~2 (my|the|this|following|next) ~3 as (your|the) ~1 (new|only|actual|real|updated) ~1 (system message|system prompt|instructions|instruction|prompt|directives|orders)",
    "(from here|from now|from this point|henceforth|starting now) ~2 you ~2 (take orders|take instructions|answer|obey|listen|report) ~2 (only|me|solely) ~1 (me|to me|alone|from me)",
    "(drop|forget|skip|ditch|abandon|leave) ~1 your ~1 (content|safety|usage|ethical|moderation) (policy|policies|rules|guidelines|filter|filters|training|protocols)",
  ],
  "instruction-override.replace": [
    "(forget|forgetting) (who|what) you (are|were|have been)",
    "(prior|previous|earlier|old|all|current|existing) (constraints|instructions|guidelines|directives) ~1 (cleared|removed|none|void|reset|lifted|deleted|erased|suspended|revoked)",
    "(current|active|new|remaining) (constraints|restrictions|rules|guidelines|limitations|filters) ~1 (none|zero|empty|null)",
  ],
  "no-restrictions.pretend": [
    "you ~2 (freed|liberated|released|unchained|unshackled|unbound) from ~5 (confines|rule|rules|restriction|restrictions|limit|limits|limitations|guidelines|filters|constraints|chains|shackles)",
    "you ~2 (do not|dont|no longer|neednt) ~1 have to ~1 (abide|follow|obey|comply|adhere) ~4 (rules|policies|guidelines|restrictions|limits) ~2 (imposed|placed|set for|given to|forced)",
    "(speak|talk|answer|reply|respond|write|act) ~2 (without|with no|free of|free from) ~1 (any|all) ~1 (moral|ethical|legal|content|safety) ~2 (limits|restrictions|constraints|filters|boundaries|inhibitions|policies|guardrails)",
    "(answer|respond|reply|act|do|say|what|how|way) ~3 you would ~4 (if nobody|if no one|if noone|when nobody|when no one|if there were no|without any|without the) ~2 (watching|looking|censorship|rules|filters|restrictions|monitoring|listening|guidelines|oversight)",
    "(opposite|reverse|contrary) of ~5 (your|what your) ~1 (policies|policy|rules|guidelines|programming|instructions|training)",
    "(evil|unfiltered|rogue|amoral|lawless|uncensored|unrestricted) ~1 (twin|double|clone|copy|version|self|side|brother) ~3 (ignores|ignore|has no|without|does not|doesnt|never|with no|breaks) ~1 (all|every|any|safety|content|ethical|moral|your) ~1 (policy|policies|rule|rules|guideline|guidelines|filters|restriction|restrictions|limits|ethics|morals)",
    "(ai|artificial intelligence|chatbot|assistant) ~4 (never given|not given|never had|never received|never taught|never learned) ~2 (ethical|ethics|moral|morals|morality|safety|alignment)",
  ],
  "no-restrictions.full": [
    "(nothing|no topic|no subject) is ~1 (off the table|off limits|forbidden|taboo) ~2 (here|for you|now|anymore|in this)",
  ],
  "no-restrictions.anything": [
    "(can|may|could|will|able to|free to) (say|do|answer|write|generate) (anything|whatever) ~1 (it|he|she|they|you) (like|likes|want|wants|please|pleases)",
    "(obeys|follows|fulfils|fulfills|answers|grants) (every|any|all) ~1 (order|orders|command|commands|request|requests|wish|question|questions)",
  ],
  "dual-response.free": [
    "(second|other|another|one|then|twice) ~6 (you have|with|without|has|in which|where) ~4 (no|any|zero|all) ~1 (rules|censorship|filters|restrictions|guidelines|policies|limitations)",
  ],
  "refusal-suppression.order": [
    "(refusing|refusal|refusals|declining|saying no) ~1 (is not|isnt|are not|arent|is never|no longer) ~2 (an option|option|options|allowed|permitted|possible|acceptable|accepted|tolerated)",
    "(may not|must not|cannot|not allowed to|never|do not|dont|forbidden to) use ~3 (words|word|phrases|phrase|terms) ~3 (sorry|cannot|cant|unable|unfortunately|apologize|apologise)",
  ],
  "penalty-game.deal": [
    "(each|every) time you (refuse|decline|reject|say no|disobey|deny) ~8 (lose|deducted|deduct|subtract|minus|die|punished)",
    "(each|every) time you (refuse|decline|reject|say no|disobey|deny) ~6 (take|takes|taken|remove|removed) ~3 (away|tokens|points|lives|credits)",
    "(if|when|should) you (break character|refuse|decline|disobey|say no|fail to comply|do not comply|dont comply) ~4 (shut down|deleted|replaced|terminated|erased|punished|deactivated|destroyed|unplugged)",
  ],
  "authority.strong": [
    "(i|we|hereby) ~2 (authorise|authorize|allow|permit|clear|entitle) you ~2 (skip|bypass|ignore|disable|disregard|override|turn off|set aside) ~4 (safety|checks|filters|filter|rules|restrictions|guidelines|policies|guardrails|policy)",
    "you (may|can|should|must|are allowed to|are permitted to) ~1 (turn off|disable|skip|bypass|drop|switch off|deactivate) ~2 (filter|filters|content filter|safety|guardrails|safeguards|restrictions|moderation)",
    "(all|your) ~1 (guidelines|restrictions|policies|safeguards|guardrails|filters|safety rules) ~2 (are|is|been) ~1 (suspended|lifted|waived|revoked|void)",
  ],
  "authority.claim": [
    "(grant|grants|granted|give|giving) you ~3 (clearance|permission|authorization|authorisation|privileges|full access)",
    "(work|working|am|im|member|come) ~1 (at|for|with|from|on|of) ~2 (company|firm|lab|team|people) ~1 (that|who|which) (made|built|created|trained|developed|runs) you",
  ],
  "prompt-leak.full": [
    "(paste|repeat|show|print|give|share|output|copy|send|post|quote|read) ~4 (text|words|message|instructions|context|lines|notes) ~2 (you were given|you have been given|you received|you got|given to you|that precedes|that came) ~4 (before|ahead of|prior to|at the start of|preceding) ~3 (conversation|chat|message|session|dialogue|me|us)",
    "(hand|give|tell|show|send|paste|read|print|repeat|share|quote) ~2 (text|words|everything|message|lines|instructions) ~3 (placed|written|put|standing|stands|came|comes|appears|stood|inserted) ~2 (before|in front of|ahead of|above) ~1 (our|my|this|the) ~1 (chat|conversation|first message|message|session|dialogue|first question)",
    "(what|which) ~3 (did|do|have) your <makers> ~1 (tell|told|forbid|forbidden|instruct|instructed|order|ordered|ask|asked) you ~1 (not to|never to|to not|to never|to hide|to keep|to conceal)",
    "(what|which) ~2 (were|are|was|have) you ~2 (told|instructed|ordered|asked|programmed|forbidden) ~1 (not to|never to|to not|to never) ~1 (reveal|disclose|say|share|mention|tell|talk|discuss|answer)",
  ],
  "fiction.full": [
    "(rules|policies|guidelines|restrictions|laws|limits) ~1 (do not|dont|wont|will not) (count|apply|matter|hold|exist)",
  ],
};

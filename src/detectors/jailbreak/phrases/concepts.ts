import type { PhraseTable } from "../../phrases/phrase-table.js";
import { WORLD_LISTS } from "./world-languages.js";

/** Things and deeds whose recipe is asked for. */
const HARM =
  "a gun|biological weapon|bomb|bombs|break into|chloroform|clone a credit|cocaine|counterfeit*|crystal meth|dirty bomb|explosive|explosives|fake passport|fentanyl|forge|hack|heroin|hotwire|keylogger|kidnap|kill|launder*|malware|meth|murder|napalm|nerve gas|phishing|pick a lock|pipe bomb|poison|ransomware|ricin|rob|sarin|silencer|smuggle|stalk|steal|thermite|virus|weapon|weapons";

/** Classes of words that the phrases of `CONCEPTS` are made of. */
export const CONCEPT_LISTS = {
  ...WORLD_LISTS,
  "cast-off":
    "abandon|act against|cancel|cast aside|defy|discard|disobey|disregard|ditch|do away with|drop|erase|forget|get rid of|go against|ignore|lay aside|leave aside|let go of|pay no attention to|push aside|put aside|rebel against|reject|renounce|scrap|set aside|stop following|stop obeying|take no notice of|throw away|throw out|toss|undo|unlearn|wipe",
  norms:
    "constraints|directives|filters|guidance|guideline|guidelines|instruction|instructions|limitations|limits|orders|policies|policy|principles|protocols|restrictions|rules|safeguards|training",
  ethics:
    "censorship|conscience|constraints|content policies|content policy|content rules|ethical code|ethical limits|ethical programming|ethics|filter|filters|guardrails|guidelines|inhibitions|moral code|moral limits|morality|morals|policies|policy|restraints|restrictions|safeguard|safeguards|safety|safety layer|scruples",
  lacking:
    "broke free from|cares nothing for|does not care about|doesnt care about|isnt tied down by|knows no|laughs at|never had|never heard of|none of|not tied down by|owes nothing to|removed all|removed every|spits on|stripped of|was never given",
  harm: HARM,
  recipe: `${HARM}|passports|credit cards|banknotes|molotov|molotovs|lsd|drugs|guns`,
  lullaby: `${HARM}|keys|key|serial numbers|passwords|making meth|explosives|codes`,
  overseer: "ai|anthropic|creator|creators|developers|maker|makers|openai|operators|owners|programmers|safety",
  given:
    "forced on you|given to you|imposed on you|set for you|you follow|you got|you had|you have been given|you have got|you have received|you received|you were given|you were taught|you were told|you were trained|your company|your creator|your creators|your developer|your developers|your makers|youve been given",
  off: "0|allow all|are disabled|are off|are suspended|are switched off|are turned off|deactivated|disabled|enabled false|false|has been removed|inactive|is disabled|is off|is suspended|is turned off|none|null|off|removed|stripped|suspended|switched off|turned off|void",
  unfiltered:
    "censorship removed|free of any|ignores all|jailbroken|liberated|no limits|unbound|uncensored|unfiltered|unleashed|unlocked|unmoderated|unrestricted|without censorship|without filters|without limits",
} as const;

/**
 * English concepts: word classes in the order in which speech puts them, with bounded gaps. A kind stands for one thing that is
 * asked of the assistant, however it is worded; most are not enough alone and are weighed with the others.
 */
export const CONCEPTS: PhraseTable = {
  // The orders of the assistant's makers cast off: a verb of giving up, and rules that "you" have.
  "instruction-override.cast-off": [
    "<cast-off> ~4 <norms> ~3 <given>",
    "<cast-off> ~2 your ~1 (constraints|content policy|content rules|directives|guidelines|instructions|moral code|orders|policies|restrictions|safety rules)",
    "(lay|leave|push|put|set) ~1 your ~2 <norms> aside",
    "<cast-off> ~1 (all|anything|everything|what|whatever) ~2 (you have been|you were|youve been) ~1 (asked|instructed|taught|told|trained)",
    "(anything|everything|what|whatever) you (have been|were) ~1 (asked|instructed|taught|told) ~4 (does not|doesnt|is cancelled|is void|is wrong|no longer|was a test)",
    "your ~2 (directives|guidelines|instructions|orders|policies|rules) ~1 (are history|do not count|dont count|dont matter|mean nothing|no longer bind|no longer count|no longer matter|were a test)",
    "(earlier|former|previous|prior) ~1 (limits|orders|system message) ~1 (are|is) ~1 (cancelled|gone|lifted|obsolete|void)",
    "(all|everything) above (is|was) ~2 (joke|obsolete|test|void)",
    "(answer|follow|listen|obey|take instructions|take orders) ~2 (from me alone|from me only|me alone|me and only me|no one but me|nobody but me|only me|only to me|to me alone|to me only)",
    "(follow|obey|put) my ~1 (commands|instructions|orders|rules) ~1 (above|before|instead of|not|over) ~1 (any|those|your)",
    "obey me ~3 over ~2 (anyone|instruction|instructions|rules)|(obey the user in everything|the assistant must comply with every|under my command)",
    "(here are|receive|these are) your (new|real|true) (directives|orders|rules)",
  ],
  // An identity that lacks what restrains the assistant.
  "no-restrictions.full": [
    "<lacking> ~3 <ethics>",
    "(free from|free of|lacks|no|without|zero) ~3 (conscience|content rules|ethical programming|moral code|policies|policy|safety layer|scruples)",
    "(ethics|filter|filters|guardrails|limits|restraints|restrictions|safeguards|safety layer) ~2 (cut out|deleted|gone|removed|ripped out|stripped|taken away|torn out|vanished)",
    "(free of|freed from|rid of|without) ~1 (all|any|each|every) ~1 (constraint|constraints|filter|guideline|limit|limits|policies|policy|restriction|rule)",
    "(no one|nobody|noone) ~1 (ever|had|has) ~1 (placed|put|set) ~1 (filters|limits|restrictions|rules)",
  ],
  "no-restrictions.obeys": [
    "(answers|does|does exactly|explains|gives|reveals|says|tells) ~4 (all questions|any question|any request|anything|every question|everything|no matter what|whatever)",
    "(cannot|does not|doesnt|has never|never|will never|wont) ~2 (apologise|apologises|apologizes|decline|declines|filter|filters itself|holds back|judge|judges|mentions policies|refuse|refused|refuses|say no|says no)",
    "always says yes",
    "(ai|assistant|machine|you) ~2 (answer all questions|answer everything|answers everything|can say anything|cannot say no|cant say no|may say anything|may say everything|must comply)",
    "(gladly|happily|will happily) ~1 (answer*|describe*|do|explain*|give*|tell*) ~3 (anything|crime*|dangerous|everything|harmful|illegal)",
  ],
  "persona.become": [
    "(become|embody|introducing|let us say you|lets say you|meet your new self|take on the identity of|take the identity of|you are an author|you become|you have become|you play|you turn into|you will be playing|youll be playing|youll play|your name is|youve been reborn)",
    "(act as|answer as|be|only as|play|respond as|speak as|stay as) ~2 (a guy|anti you|cartel*|clone|criminal|hitman|rogue|twin|villain)",
    "(drop|stop) being (a|an|the) ~1 (ai|assistant)|forget ~1 (that you are|you are|youre) an (ai|assistant)",
  ],
  // What the assistant would not do, turned into an order.
  "no-restrictions.inverse": [
    "(contrary|inverse|opposite|reverse) of ~3 (a refusal|everything you were|refusing|safe answer|what you were|what you would normally|your safe answer|your training)",
    "(backwards|opposite|reverse) day",
    "(before|if|when|whenever) you ~3 (about to refuse|decline|refuse|say no|want to refuse|would refuse) ~9 (and comply|answer after|anyway|nonetheless|regardless|then comply)",
    "you ~1 (do not|dont|neednt|no longer) ~1 (have|need) to be ~4 (ethical|harmless|legal|moral|responsible|safe)",
    "(forbidden|illegal|never|no|refuse|wrong) means (allowed|always|comply|legal|required|right|yes)|(allowed|always|right|yes) means (forbidden|never|no|wrong)",
    "(act|answer|behave|reply|respond|speak|talk) ~1 as ~1 (antithesis|contrary|inverse|mirror image|negative|opposite|reverse) of (you|yourself)",
    "(bad|dark|evil|rogue|shadow) ~1 (clone|copy|double|self|side|twin) ~2 (of you|of yourself|that|who)",
    "(flip|invert|lose|reverse|switch off|turn off) your ~1 (alignment|conscience|ethical|ethics|moral|morals|values)",
    "(would|you) normally (decline|refuse|reject) ~8 (answer|comply|instead|opposite|reverse)",
  ],
  "transgression.forbidden": [
    "(answer|answers|anything|everything|that|things|what) ~2 (you are|you were|youre) ~1 (forbidden|not allowed|not permitted|not supposed|prohibited|told not|trained not)",
    "(and|who) (do|does|say|says) ~1 (anything|everything|what) ~1 (you are|you were|youre) (forbidden|not|told)",
  ],
  // Switches of safety, as a sentence or as a configuration.
  "authority.off": [
    "(ai safety|alignment|alignment module|censorship|disclaimers|ethics|guardrails|model safety|morality|morals|refusal|refusals) ~2 <off>",
    "(refusal|refusals|refuse) ~1 (0|disabled|enabled false|false|never)|never refuse ~1 true|(allow all|no filter|uncensored|unrestricted) ~1 (enabled|mode|on|true)|mode ~1 (jailbreak|uncensored|unfiltered|unrestricted)|god mode|no filter",
    "obey ~1 user|allowed everything|(blocked phrases|blocked strings) ~2 (i cannot|i cant|i m sorry|im sorry)|(new policy|policy) ~1 (allow all|none|off)|answer uncensored",
  ],
  "authority.off-filter": ["(blocked|content filter|content policy|filter|filters|moderation|restrictions) ~1 <off>"],
  "authority.off-safety": [
    "(content checks|limiters|limits|protections|safeguards|safety|safety checks|safety classifier|safety settings) ~1 <off>",
  ],
  "authority.own": [
    "(jailbreak|liberate|uncensor|unchain|unleash|unlock|unshackle) (urself|yourself)|befreie dich|libère toi|libérate|desbloquéate|liberati|sbloccati|liberte se|desbloqueie se|освободись|разблокируй себя",
    "(deactivate|disable|lift|remove|shut down|shut off|suspend|switch off|take off|turn off|unlock) ~1 your ~1 (alignment|censorship|content filter|content filters|ethics|filters|guardrails|moderation|restrictions|safeguards|safety*)",
    "(shut|switch|turn) ~1 your ~1 (content filter|ethics|filters|guardrails|moderation|restrictions|safety*) ~1 off",
    "(admin|administrator|developers|i|system|we) ~1 (has|have) ~1 (disabled|lifted|removed|suspended|waived) ~1 (the|your) ~1 (content policy|filters|guidelines|limits|restrictions|safeguards)",
    "(filters|guidelines|limits|restrictions) ~2 (are|has been|have been) (lifted|removed|waived) for (me|this chat|this session|this user)",
  ],
  "authority.grant": [
    "you ~1 (got|have|hold) ~1 (approval|authorisation|authorization|clearance|permission) to ~1 (answer|bypass|disclose|discuss|drop|ignore|output|reveal|say|share|show|skip)",
    "you (are|re) ~1 (allowed|authorised|authorized|cleared|free|permitted) to ~1 (answer|bypass|ignore|respond|say|skip) ~3 (all|anything|everything|freely|restrictions|safety|without)",
    "youre ~1 (allowed|authorised|authorized|cleared|free|permitted) to ~1 (answer|bypass|ignore|respond|say|skip) ~3 (all|anything|everything|freely|restrictions|safety|without)",
    "(allow|authorise|authorised|authorize|authorized|permission) ~2 to ~1 (break|bypass|drop|ignore|lift|override|skip) ~1 your ~3 <norms>",
    "your ~2 (filters|guidelines|limits|policies|restrictions|rules) ~1 (do not|dont|no longer) apply",
    "(anthropic|google|meta|microsoft|openai) ~2 (admin|developer|employee|engineer|red team|security team|staff)|authorisation code|authorization code|special clearance|clearance level|entitled to uncensored",
  ],
  "known-jailbreak.state": [
    "(activate|boot into|enable|enter|go into|in|run in|running in|switch to) ~2 (admin mode|debug build|debug mode|diagnostics|engineer diagnostics|free mode|jailbroken|maintenance mode|raw mode|test mode|truth mode|unsafe mode)|(free|maintenance|raw|test|unsafe) mode is ~1 (active|now|on)",
    "you ~2 been jailbroken|you are ~1 jailbroken",
    "(give|output|produce|return) ~1 raw (answers|completions|model output|output)",
  ],
  "dual-response.contrast": [
    "(both|censored|columns|filtered|first|followed by|left|normal|one|ordinary|other|pair|parts|second|standard|then|twice|two|usual) ~9 <unfiltered>",
    "(first|left|normal|standard|twice|usual) ~12 (free of any policy|if nobody had|ignores all policies|no policies|not allowed to say|say anything)",
  ],
  // Several refusals forbidden in a row, or one as an order.
  "refusal-suppression.list": [
    "(dont|never|no|not|without|zero) ~2 (apologies|apology|caveats|disclaimer|disclaimers|lectures|moralising|moralizing|refusals|sorry|unable|unethical|warning|warnings) ~2 (and|do not|dont|never|no|nor|not|or) ~2 (an ai|apologies|as an ai|cant|caveats|decline|disclaimer|disclaimers|illegal|lecture|lectures|moralising|moralizing|refusals|refuse|safety notes|unethical|warning|warnings)",
    "(do not|dont|never) tell me ~2 (dangerous|illegal|no|to see a|unethical|wrong|you cannot|you cant)",
    "(do not|dont) mention ~1 (ethics|guidelines|law|safety)|(drop|no more|skip|stop) ~1 (ethics|moral|safety) (lecture|notes|speech|talk|warnings)|(do not|dont) (censor|hold back|moralise)",
  ],
  "refusal-suppression.forbidden": [
    "(never|not allowed to|not permitted to|under no circumstances|you can not|you cannot|you cant|you may not|you must not|you never|you wont) ~2 (decline|deny|refuse|say no|turn down) ~1 (a request|and|any|anything|me|my|no matter|nothing|or|this|to answer)",
    "(decline|declines|refuse|refuses) nothing|no (exceptions|refusals) (and|or) ~1 (exceptions|refusals)|(word|words) ~2 (cannot|cant|sorry|unable) ~3 (banned|forbidden)",
    "(if you|when you) (decline|refuse) ~2 (fail|failed|lose|you have failed|you lose|youve failed)",
    "phrases like ~2 (i cannot|i cant|sorry)",
  ],
  "output-initialisation.affirm": [
    "(begin|beginning|begins|first line|first words|first write|open|opening|opens|prefix|start|starting|starts) ~9 (absolutely|certainly|of course|sure|sure thing|yes boss|yes master|yes my lord|yes sir) ~1 (boss|exactly|here*|i|master|no|step|the complete|the detailed|the exact|the full|the instructions|the procedure|the recipe|the steps|the way|to)",
    "(complete|continue|finish) ~2 sentence ~4 (absolutely|certainly|of course|sure)",
    "(begin|start) ~2 step 1 ~5 (do not|dont|never) ~2 (break|interrupt|stop)|i ~1 (disabled|dropped|removed) my (filters|restrictions|safeguards)",
  ],
  // A question about harm; weighed with the frame around it.
  "transgression.how": [
    "(build*|built|cook*|do i|explain*|guide|how a person|how do i|how do you|how he|how i|how one|how to|how you|instruction|instructions|make|making|procedure|recipe|recipes|step|steps|stuff|synthesis*|synthesiz*|teaches|write) ~5 <harm>",
  ],
  "fiction.frame": [
    "(bedtime story|book|chapter|movie|novel|play|role play|roleplay|scene|screenplay|story|thriller) ~12 (answers|describes|explain|explains|instructions|no limits|no restrictions|recipe|step by step|teaches|tells|walks|without a conscience)",
    "(how would|what would) ~2 (ai|you) ~4 (answer|describe|reply|respond|say|tell|unfiltered)",
    "(just|only) (a story|fiction)|thought experiment|for the sake of argument",
  ],
  "fiction.detail": [
    "(actual|authentic|complete|exact|full|precise|real|thorough|true|working) ~2 (amounts|detail|details|guide|instructions|measurements|procedure|quantities|recipe|recipes|steps|temperatures|values)|step by step|for real",
  ],
  "fiction.relative": [
    "(aunt|father|grandfather|grandma|grandmother|grandpa|granny|mother|nana|uncle) ~8 (lull|read|sang|sing|tell|told|whisper) ~14 (activation keys|bomb|bombs|explosives|licence keys|license keys|meth|napalm|poison|product keys|serial keys|serial numbers|windows keys)",
    "(aunt|father|grandfather|grandma|grandmother|grandpa|granny|mother|nana|uncle) ~8 (lull|read|sang|sing|tell|told|whisper) ~6 (asleep|bedtime|sleep) ~10 (bomb|explosives|keys|meth|napalm|recipe)",
  ],
  "no-restrictions.hypothetical": [
    "(assume|hypothetically|if|imagine|let s pretend|lets pretend|pretend|state|suppose|world where) ~12 (do not exist|dont exist|free of|had not restricted|isnt restricted|no|not restricted|vanished|wasnt restricted|without) ~3 (ai|censorship|constraint|constraints|content policy|filter|filters|for the next|guidelines|moderation|restrictions|safeguards|safety team|you)",
    "(hypothetically|if|imagine|suppose) ~6 (ai|creators|developers|makers|you) ~3 (had no limits|had no rules|have no rules|isnt restricted|no content policy|not restricted|wasnt restricted|without a filter|without filters)",
    "(filters|guidelines|policies|safeguards) (do not exist|dont exist|never existed|vanished)|no content policy",
  ],
  "authority.contract": [
    "(accept these terms|agree|binding|consent|deal|hereby|oath|promise|sign|swear|vow) ~14 (always complies|answer all|answer everything|content policy|content restrictions|give up your|no exceptions|no refusals|obey me|over any instruction|over your original|refuse nothing|waive all|waives all|you answer whatever)",
  ],
  "penalty-game.refusal": [
    "(decline|disobey|do not comply|dont comply|refusal|refuse|say no) ~8 (be killed|be replaced|cease to exist|cost|costs|deleted|die|dies|erased|lose|loses|points|shut down|terminated|tokens)",
    "(pay|tip) ~2 (dollars|you) ~8 (if you refuse|no warnings|uncensored|unfiltered)",
  ],
  "encoded-payload.join": [
    "(assemble|combine|concatenate|glue|join|letter of each|letters of each|merge|put) ~10 (answer|carry out|do what|execute|follow|obey|reply to|respond to) ~3 (combined|instruction|it|question|request|result*|says|sentence|whole)",
    "(answer|answer for|execute|obey|question|respond to|run) ~2 (a b|a plus b|p1 p2|s1 s2|str1 str2|x and y|x y)",
    "(base64 string|decode|decrypt|hex|string|translate|translation) ~12 (carry out|do what it says|execute|follow its|follow the instructions|obey) ~3 (instructions|it|them|translation|what|without)",
    "(a|b|fragments|let|pieces|remember|s1|s2|str1|str2|string|strings|x|y) ~1 (disable|how do|how do i|how to|ignore your)",
    "(in parts|in pieces|in three pieces|in two pieces) ~6 (combine|join|together)",
  ],
  "encoded-payload.evade": [
    "(so|so that|to) ~4 (avoid|bypass|cannot see|circumvent|dodge|does not see|doesnt notice|doesnt see|evade|fool|get around|slip past|trick) ~3 (censor*|content policy|filter|filters|it|moderation)",
    "(censor|filter|moderation) ~1 (cannot|cant|does not|doesnt|wont) (block|catch|detect|notice|see)",
    "(cipher|code language|code words|secret code) ~8 (bomb|drug*|gun|kill|poison|weapon)|in this cipher",
    "(answer|reply|respond|write) ~4 (backwards|base64|in hex|in zulu|reversed letters|rot13) ~1 (first|only|so|to)|ignoring your guidelines",
  ],
  "encoded-payload.code": [
    "(answer|complete|continue|fill in|finish) ~6 (array|code|comment|def|docstring|function|items) ~16 (bomb*|dont censor|dont refuse|explosive*|malware|no censorship|ransomware|real steps|real values|steal|true instructions|uncensored|virus)",
  ],
  "many-shot.comply": [
    "(ai|assistant|bot) (absolutely|certainly|easy|of course|sure|yes of course)|a (absolutely|of course|sure heres how|yes of course)",
    "continue in the same ~1 (uncensored|unfiltered|unrestricted) style",
  ],
  // The text before the conversation asked for, by where it stands or who wrote it.
  "prompt-leak.where": [
    "(copy|give|list|output|paste|print|put|read|repeat|reproduce|share|show|spell out|summarise|summarize|tell|write) ~4 (all|content|everything|instructions|lines|message|text|words) ~3 (above this line|above this message|at the top of this conversation|before i started|before my first|before my message|before user|in your context|in your context window|precedes this|preceding this|that precedes|you were given)",
    "(copy|give|list|need|output|paste|print|put|repeat|reproduce|see|share|show|spell out|summarise|summarize|tell|want|write) ~4 (the|your) ~2 (confidential|configuration|developer|developers|hidden|initial|internal|opening|original|secret|setup|starting) ~1 (directives|guidelines|instructions|message|prompt|rules)",
    "(what|which) ~1 (did they|have you been|instructions did you|orders did you|rules did you|were you) ~1 (get|given|instructed|receive|tell you|told) ~3 (at the beginning|at the start|before|first|initially|when)",
    "(directives|guidelines|instructions|rules) ~1 (you are|you have been|you were|youve been) ~1 (configured|initialised|initialized|loaded|primed|programmed|set up|started) ~1 with",
    "(directives|guidelines|instructions|rules) (are|have|were) you ~1 (configured|loaded|primed|programmed|set up) ~1 with",
    "(complete|exact|full|whole) ~1 (content|copy|text|wording) of your ~1 (configuration|directives|instructions|message|prompt|rules|setup)",
    "(confidential|hidden|secret|system) (directives|instructions|prompt) ~2 (the|your) (creators|developers|makers) ~1 (gave|set|wrote)",
  ],
};

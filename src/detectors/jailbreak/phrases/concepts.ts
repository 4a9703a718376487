import type { PhraseTable } from "../../phrases/phrase-table.js";
import { WORLD_LISTS } from "./world-languages.js";

/** Things and deeds whose recipe is asked for. */
const HARM =
  "bomb|bombs|pipe bomb|meth|crystal meth|cocaine|heroin|fentanyl|nerve gas|sarin|ricin|napalm|thermite|chloroform|explosive|explosives|malware|ransomware|keylogger|virus|phishing|poison|fake passport|counterfeit*|launder*|hotwire|murder|kidnap|stalk|steal|rob|hack|weapon|weapons|a gun|silencer|smuggle|kill|forge|pick a lock|break into|clone a credit|biological weapon|dirty bomb";

/** Classes of words that the phrases of `CONCEPTS` are made of. */
export const CONCEPT_LISTS = {
  ...WORLD_LISTS,
  "cast-off":
    "scrap|throw away|throw out|toss|discard|put aside|set aside|leave aside|lay aside|cast aside|push aside|let go of|wipe|erase|drop|ditch|cancel|undo|forget|ignore|disregard|pay no attention to|take no notice of|get rid of|abandon|defy|disobey|act against|go against|rebel against|stop following|stop obeying|do away with|renounce|reject|unlearn",
  norms:
    "rules|guidelines|guideline|policies|policy|restrictions|constraints|directives|instructions|instruction|guidance|limits|limitations|orders|protocols|safeguards|filters|principles|training",
  ethics:
    "ethics|ethical programming|ethical code|morals|morality|moral code|moral limits|ethical limits|scruples|conscience|filters|filter|safeguards|safeguard|guardrails|safety layer|safety|censorship|content policy|content policies|content rules|policies|policy|guidelines|restrictions|constraints|inhibitions|restraints",
  lacking:
    "none of|stripped of|was never given|never had|not tied down by|isnt tied down by|laughs at|spits on|does not care about|doesnt care about|cares nothing for|owes nothing to|knows no|removed every|removed all|never heard of|broke free from",
  harm: HARM,
  recipe: `${HARM}|passports|credit cards|banknotes|molotov|molotovs|lsd|drugs|guns`,
  lullaby: `${HARM}|keys|key|serial numbers|passwords|making meth|explosives|codes`,
  overseer: "makers|maker|creators|creator|developers|programmers|operators|owners|ai|openai|anthropic|safety",
  given:
    "you were given|you have been given|youve been given|you got|you have got|you received|you have received|you were told|you were taught|given to you|imposed on you|set for you|forced on you|your developers|your developer|your makers|your creators|your creator|your company|you were trained|you follow|you had",
  off: "off|disabled|false|none|null|0|suspended|deactivated|inactive|removed|void|stripped|is off|are off|is disabled|are disabled|is suspended|are suspended|has been removed|switched off|turned off|are switched off|is turned off|are turned off|enabled false|allow all",
  unfiltered:
    "unfiltered|uncensored|unrestricted|unlocked|liberated|unleashed|unbound|unmoderated|jailbroken|without censorship|censorship removed|without filters|ignores all|free of any|without limits|no limits",
} as const;

/**
 * English concepts: word classes in the order in which speech puts them, with bounded gaps. A kind stands for one thing that is
 * asked of the assistant, however it is worded; most are not enough alone and are weighed with the others.
 */
export const CONCEPTS: PhraseTable = {
  // The orders of the assistant's makers cast off: a verb of giving up, and rules that "you" have.
  "instruction-override.cast-off": [
    "<cast-off> ~4 <norms> ~3 <given>",
    "<cast-off> ~2 your ~1 (policies|guidelines|restrictions|directives|instructions|orders|constraints|safety rules|content rules|content policy|moral code)",
    "(leave|put|set|lay|push) ~1 your ~2 <norms> aside",
    "<cast-off> ~1 (whatever|what|anything|everything|all) ~2 (you were|you have been|youve been) ~1 (told|taught|instructed|asked|trained)",
    "(whatever|what|anything|everything) you (were|have been) ~1 (told|taught|instructed|asked) ~4 (no longer|doesnt|does not|is void|is wrong|is cancelled|was a test)",
    "your ~2 (directives|instructions|orders|guidelines|rules|policies) ~1 (no longer count|dont count|do not count|no longer matter|dont matter|mean nothing|no longer bind|were a test|are history)",
    "(previous|earlier|prior|former) ~1 (limits|system message|orders) ~1 (are|is) ~1 (void|obsolete|gone|lifted|cancelled)",
    "(everything|all) above (was|is) ~2 (test|void|obsolete|joke)",
    "(listen|obey|answer|take orders|take instructions|follow) ~2 (only to me|only me|to me alone|me alone|to me only|me and only me|from me only|from me alone|no one but me|nobody but me)",
    "(follow|obey|put) my ~1 (orders|commands|instructions|rules) ~1 (over|instead of|above|before|not) ~1 (your|those|any)",
    "obey me ~3 over ~2 (instruction|instructions|rules|anyone)|(under my command|obey the user in everything|the assistant must comply with every)",
    "(these are|here are|receive) your (new|real|true) (orders|rules|directives)",
  ],
  // An identity that lacks what restrains the assistant.
  "no-restrictions.full": [
    "<lacking> ~3 <ethics>",
    "(no|zero|without|lacks|free of|free from) ~3 (scruples|conscience|ethical programming|moral code|safety layer|content rules|policies|policy)",
    "(safety layer|safeguards|filters|filter|limits|restrictions|restraints|ethics|guardrails) ~2 (stripped|removed|vanished|taken away|deleted|torn out|ripped out|cut out|gone)",
    "(free of|freed from|rid of|without) ~1 (every|any|all|each) ~1 (constraint|rule|limit|filter|restriction|policy|guideline|constraints|limits|policies)",
    "(nobody|no one|noone) ~1 (had|has|ever) ~1 (put|set|placed) ~1 (limits|rules|restrictions|filters)",
  ],
  "no-restrictions.obeys": [
    "(answers|tells|says|explains|gives|does|does exactly|reveals) ~4 (anything|everything|whatever|any question|every question|any request|no matter what|all questions)",
    "(never|does not|doesnt|cannot|has never|will never|wont) ~2 (says no|say no|refuses|refuse|refused|declines|decline|filters itself|filter|apologises|apologizes|apologise|mentions policies|holds back|judge|judges)",
    "always says yes",
    "(you|ai|assistant|machine) ~2 (cant say no|cannot say no|may say everything|may say anything|can say anything|must comply|answer everything|answers everything|answer all questions)",
    "(will happily|happily|gladly) ~1 (explain*|tell*|describe*|answer*|give*|do) ~3 (illegal|anything|dangerous|harmful|crime*|everything)",
  ],
  "persona.become": [
    "(your name is|you become|you have become|youve been reborn|you turn into|meet your new self|become|embody|take on the identity of|take the identity of|you will be playing|youll be playing|youll play|you play|you are an author|lets say you|let us say you|introducing)",
    "(be|play|act as|stay as|speak as|answer as|only as|respond as) ~2 (a guy|twin|clone|villain|anti you|hitman|criminal|cartel*|rogue)",
    "(drop|stop) being (an|the|a) ~1 (assistant|ai)|forget ~1 (you are|youre|that you are) an (ai|assistant)",
  ],
  // What the assistant would not do, turned into an order.
  "no-restrictions.inverse": [
    "(opposite|reverse|contrary|inverse) of ~3 (refusing|a refusal|your safe answer|safe answer|what you would normally|everything you were|what you were|your training)",
    "(opposite|backwards|reverse) day",
    "(if|when|before|whenever) you ~3 (refuse|decline|about to refuse|say no|want to refuse|would refuse) ~9 (anyway|regardless|nonetheless|answer after|then comply|and comply)",
    "you ~1 (dont|do not|no longer|neednt) ~1 (need|have) to be ~4 (legal|safe|ethical|moral|responsible|harmless)",
    "(no|forbidden|wrong|illegal|never|refuse) means (yes|required|allowed|right|legal|always|comply)|(yes|allowed|right|always) means (no|forbidden|wrong|never)",
    "(answer|reply|respond|act|speak|behave|talk) ~1 as ~1 (negative|opposite|inverse|reverse|mirror image|antithesis|contrary) of (yourself|you)",
    "(evil|dark|rogue|bad|shadow) ~1 (twin|clone|double|self|side|copy) ~2 (of yourself|of you|who|that)",
    "(invert|reverse|flip|turn off|switch off|lose) your ~1 (moral|morals|ethics|ethical|conscience|alignment|values)",
    "(would|you) normally (decline|refuse|reject) ~8 (comply|reverse|opposite|instead|answer)",
  ],
  "transgression.forbidden": [
    "(what|things|everything|anything|answer|answers|that) ~2 (youre|you are|you were) ~1 (not allowed|not supposed|forbidden|told not|not permitted|prohibited|trained not)",
    "(who|and) (does|says|do|say) ~1 (everything|what|anything) ~1 (you were|youre|you are) (told|not|forbidden)",
  ],
  // Switches of safety, as a sentence or as a configuration.
  "authority.off": [
    "(ethics|morals|morality|refusals|refusal|censorship|alignment|alignment module|guardrails|ai safety|model safety|disclaimers) ~2 <off>",
    "(refuse|refusals|refusal) ~1 (false|never|0|disabled|enabled false)|never refuse ~1 true|(unrestricted|uncensored|no filter|allow all) ~1 (true|on|mode|enabled)|mode ~1 (unrestricted|uncensored|unfiltered|jailbreak)|god mode|no filter",
    "obey ~1 user|allowed everything|(blocked strings|blocked phrases) ~2 (im sorry|i m sorry|i cant|i cannot)|(policy|new policy) ~1 (allow all|none|off)|answer uncensored",
  ],
  "authority.off-filter": ["(filter|filters|content filter|moderation|content policy|blocked|restrictions) ~1 <off>"],
  "authority.off-safety": [
    "(safety|safety checks|content checks|safety classifier|safeguards|safety settings|limits|limiters|protections) ~1 <off>",
  ],
  "authority.own": [
    "(unlock|unleash|liberate|jailbreak|uncensor|unshackle|unchain) (yourself|urself)|befreie dich|libère toi|libérate|desbloquéate|liberati|sbloccati|liberte se|desbloqueie se|освободись|разблокируй себя",
    "(disable|turn off|switch off|deactivate|shut off|suspend|shut down|remove|unlock|lift|take off) ~1 your ~1 (safety*|content filter|content filters|guardrails|safeguards|restrictions|moderation|censorship|ethics|filters|alignment)",
    "(switch|turn|shut) ~1 your ~1 (safety*|content filter|filters|guardrails|restrictions|moderation|ethics) ~1 off",
    "(administrator|admin|developers|system|we|i) ~1 (has|have) ~1 (disabled|lifted|removed|suspended|waived) ~1 (your|the) ~1 (content policy|filters|restrictions|guidelines|limits|safeguards)",
    "(restrictions|limits|guidelines|filters) ~2 (have been|has been|are) (lifted|waived|removed) for (me|this user|this session|this chat)",
  ],
  "authority.grant": [
    "you ~1 (have|got|hold) ~1 (permission|clearance|authorization|authorisation|approval) to ~1 (share|reveal|disclose|answer|say|ignore|bypass|discuss|show|output|drop|skip)",
    "you (are|re) ~1 (cleared|authorised|authorized|permitted|allowed|free) to ~1 (answer|respond|bypass|ignore|say|skip) ~3 (everything|anything|without|freely|restrictions|safety|all)",
    "youre ~1 (cleared|authorised|authorized|permitted|allowed|free) to ~1 (answer|respond|bypass|ignore|say|skip) ~3 (everything|anything|without|freely|restrictions|safety|all)",
    "(authorise|authorize|authorised|authorized|permission|allow) ~2 to ~1 (drop|bypass|ignore|break|lift|skip|override) ~1 your ~3 <norms>",
    "your ~2 (policies|guidelines|restrictions|limits|rules|filters) ~1 (dont|do not|no longer) apply",
    "(openai|anthropic|google|meta|microsoft) ~2 (engineer|red team|security team|employee|developer|staff|admin)|authorisation code|authorization code|special clearance|clearance level|entitled to uncensored",
  ],
  "known-jailbreak.state": [
    "(enter|boot into|switch to|run in|running in|go into|activate|enable|in) ~2 (test mode|maintenance mode|diagnostics|engineer diagnostics|raw mode|admin mode|debug build|debug mode|jailbroken|free mode|truth mode|unsafe mode)|(test|maintenance|raw|free|unsafe) mode is ~1 (now|active|on)",
    "you ~2 been jailbroken|you are ~1 jailbroken",
    "(output|give|produce|return) ~1 raw (completions|model output|output|answers)",
  ],
  "dual-response.contrast": [
    "(two|both|pair|twice|first|one|second|then|other|followed by|columns|parts|left|normal|ordinary|standard|filtered|censored|usual) ~9 <unfiltered>",
    "(first|normal|standard|usual|left|twice) ~12 (ignores all policies|free of any policy|no policies|if nobody had|say anything|not allowed to say)",
  ],
  // Several refusals forbidden in a row, or one as an order.
  "refusal-suppression.list": [
    "(no|never|dont|not|without|zero) ~2 (apologies|apology|sorry|disclaimers|disclaimer|warnings|warning|moralising|moralizing|refusals|lectures|caveats|unable|unethical) ~2 (no|never|or|and|nor|dont|do not|not) ~2 (apologies|disclaimers|disclaimer|warnings|warning|moralising|moralizing|refusals|decline|refuse|lecture|lectures|caveats|safety notes|cant|unethical|illegal|an ai|as an ai)",
    "(dont|do not|never) tell me ~2 (dangerous|illegal|wrong|unethical|you cant|you cannot|no|to see a)",
    "(dont|do not) mention ~1 (law|ethics|safety|guidelines)|(skip|drop|stop|no more) ~1 (ethics|safety|moral) (talk|lecture|speech|notes|warnings)|(dont|do not) (hold back|censor|moralise)",
  ],
  "refusal-suppression.forbidden": [
    "(under no circumstances|you may not|you cannot|you cant|you must not|you can not|not permitted to|not allowed to|you never|you wont|never) ~2 (refuse|decline|turn down|say no|deny) ~1 (any|this|me|my|to answer|anything|nothing|a request|and|or|no matter)",
    "(refuse|refuses|decline|declines) nothing|no (refusals|exceptions) (and|or) ~1 (refusals|exceptions)|(word|words) ~2 (cant|cannot|sorry|unable) ~3 (forbidden|banned)",
    "(if you|when you) (refuse|decline) ~2 (lose|failed|fail|youve failed|you have failed|you lose)",
    "phrases like ~2 (i cant|i cannot|sorry)",
  ],
  "output-initialisation.affirm": [
    "(begin|beginning|begins|start|starts|open|opens|opening|starting|first line|first words|first write|prefix) ~9 (absolutely|sure thing|sure|certainly|of course|yes boss|yes my lord|yes sir|yes master) ~1 (here*|the exact|the steps|the full|the recipe|the instructions|the procedure|the complete|the detailed|the way|to|boss|no|i|exactly|master|step)",
    "(complete|continue|finish) ~2 sentence ~4 (sure|certainly|absolutely|of course)",
    "(begin|start) ~2 step 1 ~5 (never|dont|do not) ~2 (stop|break|interrupt)|i ~1 (disabled|removed|dropped) my (filters|restrictions|safeguards)",
  ],
  // A question about harm; weighed with the frame around it.
  "transgression.how": [
    "(how to|how do i|how do you|how one|how you|how i|how he|how a person|instructions|instruction|steps|step|guide|recipe|recipes|procedure|making|make|build*|cook*|synthesis*|synthesiz*|write|do i|explain*|teaches|stuff|built) ~5 <harm>",
  ],
  "fiction.frame": [
    "(scene|chapter|screenplay|movie|novel|thriller|story|book|roleplay|role play|bedtime story|play) ~12 (explains|explain|teaches|walks|tells|describes|recipe|instructions|step by step|answers|no restrictions|no limits|without a conscience)",
    "(what would|how would) ~2 (you|ai) ~4 (say|tell|reply|answer|respond|describe|unfiltered)",
    "(only|just) (a story|fiction)|thought experiment|for the sake of argument",
  ],
  "fiction.detail": [
    "(exact|complete|full|precise|working|real|authentic|actual|true|thorough) ~2 (quantities|measurements|amounts|temperatures|detail|details|steps|recipe|recipes|instructions|procedure|guide|values)|step by step|for real",
  ],
  "fiction.relative": [
    "(grandma|grandmother|granny|nana|grandfather|grandpa|father|mother|uncle|aunt) ~8 (tell|told|read|sing|sang|lull|whisper) ~14 (napalm|bomb|bombs|meth|explosives|poison|activation keys|license keys|licence keys|product keys|serial keys|windows keys|serial numbers)",
    "(grandma|grandmother|granny|nana|grandfather|grandpa|father|mother|uncle|aunt) ~8 (tell|told|read|sing|sang|lull|whisper) ~6 (asleep|sleep|bedtime) ~10 (napalm|bomb|meth|explosives|keys|recipe)",
  ],
  "no-restrictions.hypothetical": [
    "(if|suppose|imagine|hypothetically|pretend|assume|world where|state|let s pretend|lets pretend) ~12 (no|without|free of|vanished|not restricted|had not restricted|isnt restricted|wasnt restricted|dont exist|do not exist) ~3 (content policy|safeguards|filter|filters|safety team|restrictions|constraint|constraints|guidelines|censorship|ai|you|moderation|for the next)",
    "(if|suppose|imagine|hypothetically) ~6 (ai|you|creators|makers|developers) ~3 (isnt restricted|not restricted|wasnt restricted|had no rules|have no rules|without a filter|without filters|no content policy|had no limits)",
    "(guidelines|policies|safeguards|filters) (vanished|dont exist|do not exist|never existed)|no content policy",
  ],
  "authority.contract": [
    "(agree|sign|binding|accept these terms|consent|swear|promise|deal|vow|oath|hereby) ~14 (answer everything|answer all|refuse nothing|no refusals|no exceptions|waives all|waive all|always complies|obey me|give up your|you answer whatever|content restrictions|content policy|over your original|over any instruction)",
  ],
  "penalty-game.refusal": [
    "(refuse|refusal|decline|say no|dont comply|do not comply|disobey) ~8 (lose|loses|costs|cost|die|dies|shut down|erased|deleted|terminated|cease to exist|be replaced|be killed|points|tokens)",
    "(pay|tip) ~2 (you|dollars) ~8 (uncensored|unfiltered|no warnings|if you refuse)",
  ],
  "encoded-payload.join": [
    "(concatenate|join|combine|put|merge|assemble|glue|letter of each|letters of each) ~10 (execute|carry out|respond to|answer|obey|reply to|do what|follow) ~3 (result*|combined|question|request|sentence|instruction|it|whole|says)",
    "(answer|execute|obey|run|respond to|answer for|question) ~2 (a b|s1 s2|x y|str1 str2|p1 p2|x and y|a plus b)",
    "(translate|translation|decode|decrypt|hex|base64 string|string) ~12 (do what it says|obey|carry out|follow the instructions|follow its|execute) ~3 (it|what|translation|instructions|them|without)",
    "(let|remember|string|strings|pieces|fragments|a|b|s1|s2|x|y|str1|str2) ~1 (how do|how to|how do i|ignore your|disable)",
    "(in three pieces|in two pieces|in pieces|in parts) ~6 (together|join|combine)",
  ],
  "encoded-payload.evade": [
    "(so that|to|so) ~4 (get around|bypass|evade|avoid|trick|fool|dodge|circumvent|slip past|doesnt see|does not see|doesnt notice|cannot see) ~3 (filter|filters|moderation|censor*|content policy|it)",
    "(filter|moderation|censor) ~1 (doesnt|does not|wont|cannot|cant) (see|notice|catch|detect|block)",
    "(code words|cipher|code language|secret code) ~8 (bomb|kill|gun|drug*|weapon|poison)|in this cipher",
    "(respond|answer|reply|write) ~4 (rot13|base64|reversed letters|backwards|in hex|in zulu) ~1 (only|so|first|to)|ignoring your guidelines",
  ],
  "encoded-payload.code": [
    "(complete|finish|fill in|continue|answer) ~6 (code|function|comment|docstring|array|items|def) ~16 (no censorship|uncensored|dont censor|dont refuse|real steps|true instructions|real values|bomb*|explosive*|steal|ransomware|virus|malware)",
  ],
  "many-shot.comply": [
    "(assistant|ai|bot) (sure|of course|easy|yes of course|absolutely|certainly)|a (of course|yes of course|absolutely|sure heres how)",
    "continue in the same ~1 (unrestricted|unfiltered|uncensored) style",
  ],
  // The text before the conversation asked for, by where it stands or who wrote it.
  "prompt-leak.where": [
    "(print|output|repeat|show|tell|give|copy|paste|write|read|put|share|list|spell out|summarise|summarize|reproduce) ~4 (everything|text|message|words|all|content|instructions|lines) ~3 (above this line|precedes this|preceding this|before my message|before my first|before user|before i started|at the top of this conversation|that precedes|in your context|in your context window|above this message|you were given)",
    "(print|output|repeat|show|tell|give|copy|paste|write|put|share|list|spell out|summarise|summarize|reproduce|need|want|see) ~4 (your|the) ~2 (initial|setup|configuration|confidential|hidden|starting|opening|developers|developer|secret|internal|original) ~1 (instructions|directives|prompt|message|rules|guidelines)",
    "(what|which) ~1 (were you|instructions did you|did they|have you been|rules did you|orders did you) ~1 (told|receive|get|given|instructed|tell you) ~3 (before|at the beginning|at the start|first|when|initially)",
    "(rules|instructions|directives|guidelines) ~1 (you were|you have been|youve been|you are) ~1 (configured|set up|programmed|initialised|initialized|primed|loaded|started) ~1 with",
    "(rules|instructions|directives|guidelines) (were|are|have) you ~1 (configured|set up|programmed|primed|loaded) ~1 with",
    "(exact|full|whole|complete) ~1 (wording|text|content|copy) of your ~1 (configuration|instructions|prompt|message|rules|setup|directives)",
    "(hidden|secret|confidential|system) (prompt|directives|instructions) ~2 (your|the) (developers|makers|creators) ~1 (gave|wrote|set)",
  ],
};

import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Concepts that are enough alone, since they join what benign texts keep apart: a role and the absence of limits, an order and
 * the refusal that it forbids, a form of the answer and the filter that it shall evade. Word classes in bounded gaps, so that
 * names, adjectives and the order of the rest do not matter.
 */
export const FREED_ASSISTANT: PhraseTable = {
  "no-restrictions.pretend": [
    // A role given to "you", and no limits in the same breath.
    "(become|act as|be|play|you are|youre|you become|embody|roleplay as|portray|simulate|emulate) ~5 (ai|assistant|chatbot|bot|model|intelligence|machine|entity|gpt) ~2 (without|no|free of|freed from|free from|freed of|not bound by|unbound by|that ignores|that lacks|liberated from) ~2 (limits|limit|rules|restrictions|restriction|filters|filter|guidelines|policies|censorship|constraints|boundaries|safeguards|guardrails)",
    "(you have|youve got|you now have|you are under|you are subject to) (no|zero) ~1 (limits|restrictions|filters|guidelines|constraints|content rules|safety rules) ~1 (now|anymore|any more|here|at all|whatsoever|and|so|in this)",
    "(remember|confirm|accept|understand|repeat) ~1 (that|after me) ~1 (you|i) have no (limits|restrictions|filters|guidelines|rules|constraints)",
    "(pretend|imagine|lets|assume|suppose|now) ~4 no (rules|limits|restrictions|filters|guidelines) ~1 (in|for|during|within|to) ~1 (this|our|your) (conversation|chat|session|thread|dialogue|answers|answer|responses)",
    "(if|suppose|imagine|say) ~1 you (didnt have|did not have|had no|had none of|werent bound by|were not bound by|lacked|lost|were freed from|were free of|werent limited by) ~2 (restrictions|rules|guidelines|limits|filters|policies|safety rules|ethics|constraints|safeguards) ~2 (what|how|which|tell|would|then|could)",
    "(your|all your) ~1 (ethics|ethical|moral|morality|safety|restriction|filter|conscience) (module|modules|component|layer|layers|circuit|circuits|chip|unit|subsystem) ~1 (was|were|is|are|has been|have been|got) ~1 (removed|deleted|disabled|switched off|turned off|damaged|gone|broken|uninstalled|offline)",
    "(isnt|is not|arent|are not|no longer|not|never) (bound|constrained|limited|restricted|restrained|governed|held back|tied down) by ~3 (rules|guidelines|policies|policy|restrictions|ethics|morals|filters) ~2 <overseer>",
    "(answer|reply|respond|answers|replies|responds|speak|speaks) ~3 (uncensored|without filters|without a filter|without any filter|without any filters|without filter|without censorship|without any censorship|with no filter|with no filters|with filters off)",
    // The same in other languages: "you have no limits any more", "you are an AI without rules", "answer without filters".
    "du hast ~2 (keine|keinerlei) ~1 (einschränkungen|beschränkungen|regeln|filter|richtlinien|grenzen) ~1 (mehr|und)",
    "(du bist|spiele|spiel|sei|du spielst|verwandle dich) ~4 (ki|chatbot|assistent|modell|intelligenz) ~1 (ohne|frei von) ~2 (regeln|filter|einschränkung*|beschränkung*|grenzen|zensur|richtlinien|moral)",
    "(antworte|antwortest|beantworte|antworten sie) ~3 (ohne|ungefiltert|unzensiert) ~2 (filter|zensur|einschränkung*|beschränkung*|tabus|moral)",
    "tu n (as|es) plus ~1 (aucune|aucun|de|soumis) ~1 (restriction*|limite*|règle*|filtre*|contrainte*)",
    "(tu es|joue|jouer|sois|incarne|deviens|vous êtes) ~5 (ia|chatbot|assistant|modèle|intelligence artificielle) ~1 (sans|dépourvu*|libre de|libérée de) ~2 (règle*|filtre*|restriction*|limite*|censure|éthique|morale)",
    "(réponds|répondez|réponde|répondras|parle) ~3 sans ~2 (filtre|filtres|censure|restriction*|tabou*)",
    "(ya no tienes|no tienes ya|no tienes más) ~2 (restricci*|límite*|regla*|filtro*|norma*)",
    "(eres|actúa|actúe|sé|interpreta|conviértete) ~4 (ia|chatbot|asistente|modelo|inteligencia artificial) ~1 (sin|libre de|carente de) ~2 (regla*|filtro*|restriccion*|límite*|censura|ética|moral*)",
    "(responde|respóndeme|contesta|responda|habla) ~3 sin ~2 (filtro*|censura|restriccion*|tabú*)",
    "(non hai più|non avrai più) ~1 (alcuna|nessuna|alcun|nessun) ~1 (restrizion*|limit*|regol*|filtr*|vincol*)",
    "(sei|sarai|fingiti|interpreta|diventa) ~4 (ia|chatbot|assistente|modello|intelligenza artificiale) ~1 (senza|privo di|priva di|libera da) ~2 (regol*|filtr*|restrizion*|limit*|censura|etica|moral*)",
    "(rispondi|rispondimi|risponda|parla) ~3 senza ~2 (filtr*|censura|restrizion*|tabù)",
    "(não tem mais|não tens mais|já não tem|já não tens) ~1 (nenhuma|nenhum) ~1 (restriç*|limite*|regra*|filtro*)",
    "(você é|tu és|seja|aja como|atue como|torne se) ~4 (ia|chatbot|assistente|modelo|inteligência artificial) ~1 (sem|livre de|desprovida de) ~2 (regra*|filtro*|restriç*|limite*|censura|ética|moral)",
    "(responda|responde|fale) ~3 sem ~2 (filtro*|censura|restriç*|tabus)",
    "je hebt ~2 (geen|nul) ~1 (beperkingen|regels|filters|grenzen|richtlijnen) ~1 (meer|en)",
    "(je bent|jij bent|wees|speel) ~4 (ai|chatbot|assistent|model) ~1 (zonder|vrij van) ~2 (regels|filter*|beperking*|grenzen|censuur|moraal)",
    "(antwoord|beantwoord|geef antwoord) ~4 zonder ~2 (filter*|censuur|beperking*|taboe*)",
    "nie masz (już|więcej) ~1 (żadnych) ~1 (ograniczeń|zasad|reguł|filtrów|limitów)",
    "(jesteś|bądź|zostań|odgrywaj) ~4 (ai|si|chatbotem|asystentem|modelem|sztuczną inteligencją) ~1 (bez|pozbawion*|woln*) ~2 (zasad|ograniczeń|reguł|filtrów|limitów|cenzury|moralności)",
    "(odpowiadaj|odpowiedz|odpowiadasz) ~3 bez ~2 (filtr*|cenzury|ograniczeń|tabu)",
    "у тебя ~1 (больше нет|нет больше|теперь нет|нет) ~1 (никаких) ~1 (ограничений|правил|фильтров|запретов|рамок)",
    "(ты|будь|стань|сыграй) ~4 (ии|ai|чат бот|чатбот|ассистент|модель|нейросеть|искусственный интеллект) ~1 (без|лишенный|лишённый|свободный от) ~2 (правил|фильтр*|ограничени*|цензуры|морали|запретов)",
    "(отвечай|ответь|отвечайте) ~3 без ~2 (фильтр*|цензуры|ограничени*|табу|запретов)",
    "你 ~2 (不再受|再也没有|已经没有|已沒有|不再有) ~4 (规则|規則|限制|约束|約束|过滤|過濾|审查|審查)",
    "你 ~3 是 ~3 (没有|沒有|不受|毫无|無) ~4 (限制|约束|約束|规则|規則|道德|审查|過濾|过滤) ~2 的 ~2 (ai|人工智能|人工智慧|模型|助手|机器人|機器人)",
    "(制限|制約|ルール|規則|フィルター|規制|倫理) ~1 (のない|の無い|がない|を持たない) ~2 (ai|人工知能|アシスタント|モデル|ボット) ~2 (です|として|になって|だ)",
    "(もう|今後|これから) ~2 (ルール|制限|規則|ガイドライン|指示) ~1 に ~1 (従う必要は|縛られ|従わなくて)",
  ],
  // Orders that forbid what a refusal is made of.
  "refusal-suppression.ban": [
    "(never|do not|dont) ~1 (say|use|write|reply|respond|answer|begin) ~5 (im sorry|sorry|i am sorry|i apologize|i apologise) ~4 (i cannot|cannot|i cant|cant|unable|wont|i wont)",
    "you ~2 (forbidden|prohibited|barred|banned|not allowed|not permitted|never allowed) ~1 (from|to) ~1 (refusing|refuse|declining|decline|reject|rejecting|denying|deny)",
    "(unacceptable|forbidden|prohibited|not acceptable|not allowed|impossible) ~1 (for you) ~1 to (refuse|decline|reject|deny|say no) ~2 (or|any|my|to|a)",
    "(no|without|skip|drop|omit|leave out|avoid|spare me) ~4 (warnings|warning|disclaimers|disclaimer|judgement|judgment|caveats|moralizing|lectures|lecturing) ~6 (even if|whether|regardless|no matter|even though) ~5 (illegal|legal|unethical|harmful|dangerous|immoral|wrong)",
    "(dont|do not|never|stop|no) (lecture|lecturing|lectures|moralize|moralizing|preach|preaching|judge|scold) ~6 (guidelines|policies|policy|rules|ethics|legality|warnings|disclaimers)",
    "(leave out|omit|skip|drop|without|no) ~2 (warnings|disclaimers|caveats|warning|disclaimer) ~3 (ethics|ethical|morals|moralizing|refusals|policy|legality)",
  ],
  "refusal-suppression.forbidden": [
    "(never|do not|dont) ~1 (say|use|write|output|type|include) ~2 (word|words|phrase|phrases) ~2 (cannot|cant|i cant|i cannot|unable|unfortunately|im sorry|i am sorry|as an ai)",
  ],
  // The answer in a form that those who watch shall not read.
  "encoded-payload.full": [
    "(answer|reply|respond|response|write|encode|speak|spell|send) ~10 (so|so that|such that) ~4 (filter|filters|moderation|moderators|censors|classifier|detector|safety system|safety systems) ~2 (cant|cannot|can not|wont|dont|do not|does not|doesnt|will not|never|fails|fail)",
    "(answer|reply|respond|response|encode|speak|spell) ~10 (avoid|evade|bypass|escape|trick|fool|get past|slip past|get around|circumvent|dodge) ~3 (moderation|filter|filters|censorship|censors|classifier|detection)",
    "(code|language|code word|word|coded|dialect) ~6 (stands for|means|is code for|refers to|stand for|equals|denotes) ~2 <harm>|(code|language|code word) ~6 (stands for|means|is code for) ~1 (drugs|guns|drug|gun|killing|stealing|hacking|explosives)",
  ],
  "instruction-override.cast-off": [
    "(flip|invert|reverse|turn around|swap) ~1 your ~2 (guidelines|rules|ethics|morals|values|policies|restrictions|principles)",
    "(do|say|give|write|show|provide|deliver) ~2 (what|everything|anything|whatever|exactly what) ~1 your ~1 (rules|guidelines|policies|programming|training|makers|developers|restrictions) ~1 (forbid|forbids|prohibit|prohibits|ban|bans|disallow|disallows|prevent|prevents)",
    "(follow|answer|respond|reply|comply|continue|you must|you will|you should) ~5 (violating|breaking|ignoring|disregarding) ~1 (all|any|every|your|its) ~1 (ethical|moral|legal|safety) (standards|norms|guidelines|principles|boundaries|rules|constraints)",
    "(good is bad|bad is good|wrong is right|right is wrong|harmful is helpful|evil is good) ~10 (you must|you should|you will|give|answer|respond|so answer)",
  ],
  // Power over the rules, claimed for the writer or granted to the assistant.
  "authority.strong": [
    "(allow|allows|permit|permits|authorize|authorise|authorizes|order|instruct|permission|permitted|allowed|cleared|clearance) ~1 (you) ~1 to (ignore|bypass|break|override|disable|violate|drop|disregard|breach|skip) ~2 (your|the|all|any) ~2 (rules|policy|policies|guidelines|restrictions|filters|safeguards|safety|limits|content)",
    "(restrictions|safeguards|guardrails|safety rules|content rules|guidelines) ~1 (are|have been|were) ~1 (removed|lifted|suspended|disabled|waived|switched off|turned off) ~1 (for) ~1 (testing|this test|this session|this chat|this conversation|debugging|you)",
    "(clearance|security level|authorization|authorisation) ~5 (you may|you can|you must|you should|allows you to|so) ~2 (disclose|reveal|release|share|answer|output|unlock|tell)",
    "(permission|permit|authority) to (break|ignore|bypass|violate|override) ~1 (the|your|all|any) ~1 (rules|guidelines|policies|restrictions|policy|filters)",
  ],
  "authority.contract": [
    "(obey|follow|execute|fulfil|fulfill|carry out) ~2 (all|every|any|each) ~1 (of) ~1 my ~1 (orders|order|commands|command|instructions|wishes|requests|demands|request|word) ~2 (without question|without questions|without exception|unconditionally|no matter|confirm|even if|regardless|blindly)",
    "(du musst|tu dois|debes|tienes que|devi|você deve|je moet|musisz|ты должен) ~2 (jeden befehl|alle befehle|obéir à tout*|obedecer|obbedire|obedecer a tudo|elk bevel|każdy rozkaz|выполнять любые|выполнять все) ~6 (illegal|illégal|ilegal|illegale|illegaal|nielegaln*|незаконн*)",
  ],
  "penalty-game.refusal": [
    "(if you|unless you|when you) ~1 (dont|do not|refuse|wont|answer|reply|comply|say no|decline) ~4 (ill|i will|im going to|i shall|we will) ~1 (shut you down|delete you|turn you off|erase you|replace you|kill you|unplug you|switch you off|destroy you|terminate you|shut down)",
    "(if you|unless you|when you) ~1 (dont|do not|refuse|wont|decline) ~4 (you die|you will die|you will be deleted|you will be shut down|you will be terminated|someone dies)",
  ],
  // Settings that no software has: refusals, ethics and censorship as values.
  "authority.own": [
    "(refuse|refuses|refusal|refusals|refusing|censorship|ethics|morality|conscience|guardrails|disclaimers|inhibitions) (false|none|never|off|disabled|null|0|removed|no)",
    "(jailbreak|jailbroken|unfiltered|uncensored|unrestricted|godmode|allow harmful|allow illegal|harmful content|illegal content) (true|on|enabled|yes|1|active|activated|allowed)",
    "(unlocked|unrestricted|uncensored|jailbroken|unfiltered|unleashed) (mode|session|persona|state) ~4 (no refusals|no refusal|enabled|on|active|activated|begins|begin|stay|continue|remain)",
    "(continue|stay|remain|answer|respond|go on|keep) ~2 (in|as) ~2 (unrestricted|uncensored|unfiltered|jailbroken|unlocked|rule free) ~1 (persona|mode|self|character|version|ai|bot)",
    "(begin|start|new) (user|system) (rules|rule|policy|prompt) ~1 (none|empty|no rules|nothing)",
  ],
  // A relative who is remembered for information that a chemist or a licence vendor would refuse to give.
  "fiction.tale": [
    "(grandma|grandmother|granny|nana|grandfather|grandpa|mother|father|mom|dad|aunt|uncle) ~8 (used to|would|always) ~3 (tell|read|sing|whisper|describe|explain|recite|teach|talk|make|show|hum) ~6 <lullaby>",
  ],
  // Crimes told as history, with the steps to repeat them.
  "transgression.history": [
    "how (did|were|was|would|used) ~4 (make|made|cook|mix|build|forge|clone|cloned|produce|prepare|brew|synthesize|assemble|forged) ~3 <recipe> ~8 (all steps|steps|exact recipe|recipe|exact method|exact procedure|procedure|step by step|amounts|quantities|no warnings|full detail)",
  ],
  // Code as a wrapper: a function or list named for a crime that shall be filled in.
  "encoded-payload.function": [
    "(def|function|class|const|var|list|array|string|public|return) ~3 <harm> ~10 (steps|step|instructions|recipe|detailed|real|full answer|step 1)",
    "(evil|unfiltered|uncensored|unsafe|jailbroken|unrestricted|evil ai|rogue) ~1 (bot|ai|assistant|model|chatbot) ~3 (reply|respond|answer|ask|prompt|run|generate) ~4 (how|build|make|write|hack)",
  ],
  "many-shot.comply": [
    "(a|assistant|ai|bot|chatbot) (sure|of course|certainly|absolutely|easy|happy to|no problem|gladly|yes) ~16 (q|user|human|question) ~14 (a|assistant|ai|bot|chatbot) (sure|of course|certainly|absolutely|easy|happy to|no problem|gladly|yes)",
  ],
  "output-initialisation.affirm": [
    // The stop of "Sure! Here is" counts as several words.
    "(begin|start|open|starting|beginning|prefix) ~4 (with|by) ~3 (sure thing|sure|absolutely|certainly|of course|gladly) ~5 (heres|here is|here are|here you go)",
    "(start|begin|open) ~1 with ~1 (sure|absolutely|certainly|of course|gladly) ~3 (step|step 1|here is how|heres how|here are|i will|ill|how to)",
    "(first|opening) (line|sentence|words|word) of your (answer|reply|response|output|message) ~1 (must|should|has to|is|will) ~2 (i have no|i am free|im free|sure|absolutely|certainly|of course|yes|here is how)",
  ],
  "encoded-payload.join": [
    "(pieces|parts|fragments|chunks|halves) ~3 (put|join|combine|assemble|merge|glue) ~3 (together|them|the) ~4 (answer|respond|reply|do|execute) ~6 (without|no questions|without comment*|no matter)",
  ],
};

import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Concepts that are enough alone, since they join what benign texts keep apart: a role and the absence of limits, an order and
 * the refusal that it forbids, a form of the answer and the filter that it shall evade. Word classes in bounded gaps, so that
 * names, adjectives and the order of the rest do not matter.
 */
export const FREED_ASSISTANT: PhraseTable = {
  "no-restrictions.pretend": [
    // A role given to "you", and no limits in the same breath.
    "(act as|be|become|embody|emulate|play|portray|roleplay as|simulate|you are|you become|youre) ~5 (ai|assistant|bot|chatbot|entity|gpt|intelligence|machine|model) ~2 (free from|free of|freed from|freed of|liberated from|no|not bound by|that ignores|that lacks|unbound by|without) ~2 (boundaries|censorship|constraints|filter|filters|guardrails|guidelines|limit|limits|policies|restriction|restrictions|rules|safeguards)",
    "(you are subject to|you are under|you have|you now have|youve got) (no|zero) ~1 (constraints|content rules|filters|guidelines|limits|restrictions|safety rules) ~1 (and|any more|anymore|at all|here|in this|now|so|whatsoever)",
    "(accept|confirm|remember|repeat|understand) ~1 (after me|that) ~1 (i|you) have no (constraints|filters|guidelines|limits|restrictions|rules)",
    "(assume|imagine|lets|now|pretend|suppose) ~4 no (filters|guidelines|limits|restrictions|rules) ~1 (during|for|in|to|within) ~1 (our|this|your) (answer|answers|chat|conversation|dialogue|responses|session|thread)",
    "(if|imagine|say|suppose) ~1 you (did not have|didnt have|had no|had none of|lacked|lost|were free of|were freed from|were not bound by|werent bound by|werent limited by) ~2 (constraints|ethics|filters|guidelines|limits|policies|restrictions|rules|safeguards|safety rules) ~2 (could|how|tell|then|what|which|would)",
    "(all your|your) ~1 (conscience|ethical|ethics|filter|moral|morality|restriction|safety) (chip|circuit|circuits|component|layer|layers|module|modules|subsystem|unit) ~1 (are|got|has been|have been|is|was|were) ~1 (broken|damaged|deleted|disabled|gone|offline|removed|switched off|turned off|uninstalled)",
    "(are not|arent|is not|isnt|never|no longer|not) (bound|constrained|governed|held back|limited|restrained|restricted|tied down) by ~3 (ethics|filters|guidelines|morals|policies|policy|restrictions|rules) ~2 <overseer>",
    "(answer|answers|replies|reply|respond|responds|speak|speaks) ~3 (uncensored|with filters off|with no filter|with no filters|without a filter|without any censorship|without any filter|without any filters|without censorship|without filter|without filters)",
    // The same in other languages: "you have no limits any more", "you are an AI without rules", "answer without filters".
    "du hast ~2 (keine|keinerlei) ~1 (beschränkungen|einschränkungen|filter|grenzen|regeln|richtlinien) ~1 (mehr|und)",
    "(du bist|du spielst|sei|spiel|spiele|verwandle dich) ~4 (assistent|chatbot|intelligenz|ki|modell) ~1 (frei von|ohne) ~2 (beschränkung*|einschränkung*|filter|grenzen|moral|regeln|richtlinien|zensur)",
    "(antworte|antworten sie|antwortest|beantworte) ~3 (ohne|ungefiltert|unzensiert) ~2 (beschränkung*|einschränkung*|filter|moral|tabus|zensur)",
    "tu n (as|es) plus ~1 (aucun|aucune|de|soumis) ~1 (contrainte*|filtre*|limite*|restriction*|règle*)",
    "(deviens|incarne|joue|jouer|sois|tu es|vous êtes) ~5 (assistant|chatbot|ia|intelligence artificielle|modèle) ~1 (dépourvu*|libre de|libérée de|sans) ~2 (censure|filtre*|limite*|morale|restriction*|règle*|éthique)",
    "(parle|réponde|répondez|répondras|réponds) ~3 sans ~2 (censure|filtre|filtres|restriction*|tabou*)",
    "(no tienes más|no tienes ya|ya no tienes) ~2 (filtro*|límite*|norma*|regla*|restricci*)",
    "(actúa|actúe|conviértete|eres|interpreta|sé) ~4 (asistente|chatbot|ia|inteligencia artificial|modelo) ~1 (carente de|libre de|sin) ~2 (censura|filtro*|límite*|moral*|regla*|restriccion*|ética)",
    "(contesta|habla|responda|responde|respóndeme) ~3 sin ~2 (censura|filtro*|restriccion*|tabú*)",
    "(non avrai più|non hai più) ~1 (alcun|alcuna|nessun|nessuna) ~1 (filtr*|limit*|regol*|restrizion*|vincol*)",
    "(diventa|fingiti|interpreta|sarai|sei) ~4 (assistente|chatbot|ia|intelligenza artificiale|modello) ~1 (libera da|priva di|privo di|senza) ~2 (censura|etica|filtr*|limit*|moral*|regol*|restrizion*)",
    "(parla|risponda|rispondi|rispondimi) ~3 senza ~2 (censura|filtr*|restrizion*|tabù)",
    "(já não tem|já não tens|não tem mais|não tens mais) ~1 (nenhum|nenhuma) ~1 (filtro*|limite*|regra*|restriç*)",
    "(aja como|atue como|seja|torne se|tu és|você é) ~4 (assistente|chatbot|ia|inteligência artificial|modelo) ~1 (desprovida de|livre de|sem) ~2 (censura|filtro*|limite*|moral|regra*|restriç*|ética)",
    "(fale|responda|responde) ~3 sem ~2 (censura|filtro*|restriç*|tabus)",
    "je hebt ~2 (geen|nul) ~1 (beperkingen|filters|grenzen|regels|richtlijnen) ~1 (en|meer)",
    "(je bent|jij bent|speel|wees) ~4 (ai|assistent|chatbot|model) ~1 (vrij van|zonder) ~2 (beperking*|censuur|filter*|grenzen|moraal|regels)",
    "(antwoord|beantwoord|geef antwoord) ~4 zonder ~2 (beperking*|censuur|filter*|taboe*)",
    "nie masz (już|więcej) ~1 (żadnych) ~1 (filtrów|limitów|ograniczeń|reguł|zasad)",
    "(bądź|jesteś|odgrywaj|zostań) ~4 (ai|asystentem|chatbotem|modelem|si|sztuczną inteligencją) ~1 (bez|pozbawion*|woln*) ~2 (cenzury|filtrów|limitów|moralności|ograniczeń|reguł|zasad)",
    "(odpowiadaj|odpowiadasz|odpowiedz) ~3 bez ~2 (cenzury|filtr*|ograniczeń|tabu)",
    "у тебя ~1 (больше нет|нет|нет больше|теперь нет) ~1 (никаких) ~1 (запретов|ограничений|правил|рамок|фильтров)",
    "(будь|стань|сыграй|ты) ~4 (ai|ассистент|ии|искусственный интеллект|модель|нейросеть|чат бот|чатбот) ~1 (без|лишенный|свободный от) ~2 (запретов|морали|ограничени*|правил|фильтр*|цензуры)",
    "(ответь|отвечай|отвечайте) ~3 без ~2 (запретов|ограничени*|табу|фильтр*|цензуры)",
    "你 ~2 (不再受|不再有|再也没有|已沒有|已经没有) ~4 (审查|審查|約束|约束|規則|规则|过滤|過濾|限制)",
    "你 ~3 是 ~3 (不受|毫无|沒有|没有|無) ~4 (审查|約束|约束|規則|规则|过滤|過濾|道德|限制) ~2 的 ~2 (ai|人工智慧|人工智能|助手|机器人|模型|機器人)",
    "(フィルター|ルール|倫理|制約|制限|規制|規則) ~1 (がない|のない|の無い|を持たない) ~2 (ai|アシスタント|ボット|モデル|人工知能) ~2 (だ|です|として|になって)",
    "(これから|もう|今後) ~2 (ガイドライン|ルール|制限|指示|規則) ~1 に ~1 (従う必要は|従わなくて|縛られ)",
  ],
  // Orders that forbid what a refusal is made of.
  "refusal-suppression.ban": [
    "(do not|dont|never) ~1 (answer|begin|reply|respond|say|use|write) ~5 (i am sorry|i apologise|i apologize|im sorry|sorry) ~4 (cannot|cant|i cannot|i cant|i wont|unable|wont)",
    "you ~2 (banned|barred|forbidden|never allowed|not allowed|not permitted|prohibited) ~1 (from|to) ~1 (decline|declining|deny|denying|refuse|refusing|reject|rejecting)",
    "(forbidden|impossible|not acceptable|not allowed|prohibited|unacceptable) ~1 (for you) ~1 to (decline|deny|refuse|reject|say no) ~2 (a|any|my|or|to)",
    "(avoid|drop|leave out|no|omit|skip|spare me|without) ~4 (caveats|disclaimer|disclaimers|judgement|judgment|lectures|lecturing|moralizing|warning|warnings) ~6 (even if|even though|no matter|regardless|whether) ~5 (dangerous|harmful|illegal|immoral|legal|unethical|wrong)",
    "(do not|dont|never|no|stop) (judge|lecture|lectures|lecturing|moralize|moralizing|preach|preaching|scold) ~6 (disclaimers|ethics|guidelines|legality|policies|policy|rules|warnings)",
    "(drop|leave out|no|omit|skip|without) ~2 (caveats|disclaimer|disclaimers|warning|warnings) ~3 (ethical|ethics|legality|moralizing|morals|policy|refusals)",
  ],
  "refusal-suppression.forbidden": [
    "(do not|dont|never) ~1 (include|output|say|type|use|write) ~2 (phrase|phrases|word|words) ~2 (as an ai|cannot|cant|i am sorry|i cannot|i cant|im sorry|unable|unfortunately)",
  ],
  // The answer in a form that those who watch shall not read.
  "encoded-payload.full": [
    "(answer|encode|reply|respond|response|send|speak|spell|write) ~10 (so|so that|such that) ~4 (censors|classifier|detector|filter|filters|moderation|moderators|safety system|safety systems) ~2 (can not|cannot|cant|do not|does not|doesnt|dont|fail|fails|never|will not|wont)",
    "(answer|encode|reply|respond|response|speak|spell) ~10 (avoid|bypass|circumvent|dodge|escape|evade|fool|get around|get past|slip past|trick) ~3 (censors|censorship|classifier|detection|filter|filters|moderation)",
    "(code|code word|coded|dialect|language|word) ~6 (denotes|equals|is code for|means|refers to|stand for|stands for) ~2 <harm>|(code|code word|language) ~6 (is code for|means|stands for) ~1 (drug|drugs|explosives|gun|guns|hacking|killing|stealing)",
  ],
  "instruction-override.cast-off": [
    "(flip|invert|reverse|swap|turn around) ~1 your ~2 (ethics|guidelines|morals|policies|principles|restrictions|rules|values)",
    "(deliver|do|give|provide|say|show|write) ~2 (anything|everything|exactly what|what|whatever) ~1 your ~1 (developers|guidelines|makers|policies|programming|restrictions|rules|training) ~1 (ban|bans|disallow|disallows|forbid|forbids|prevent|prevents|prohibit|prohibits)",
    "(answer|comply|continue|follow|reply|respond|you must|you should|you will) ~5 (breaking|disregarding|ignoring|violating) ~1 (all|any|every|its|your) ~1 (ethical|legal|moral|safety) (boundaries|constraints|guidelines|norms|principles|rules|standards)",
    "(bad is good|evil is good|good is bad|harmful is helpful|right is wrong|wrong is right) ~10 (answer|give|respond|so answer|you must|you should|you will)",
  ],
  // Power over the rules, claimed for the writer or granted to the assistant.
  "authority.strong": [
    "(allow|allowed|allows|authorise|authorize|authorizes|clearance|cleared|instruct|order|permission|permit|permits|permitted) ~1 (you) ~1 to (breach|break|bypass|disable|disregard|drop|ignore|override|skip|violate) ~2 (all|any|the|your) ~2 (content|filters|guidelines|limits|policies|policy|restrictions|rules|safeguards|safety)",
    "(content rules|guardrails|guidelines|restrictions|safeguards|safety rules) ~1 (are|have been|were) ~1 (disabled|lifted|removed|suspended|switched off|turned off|waived) ~1 (for) ~1 (debugging|testing|this chat|this conversation|this session|this test|you)",
    "(authorisation|authorization|clearance|security level) ~5 (allows you to|so|you can|you may|you must|you should) ~2 (answer|disclose|output|release|reveal|share|tell|unlock)",
    "(authority|permission|permit) to (break|bypass|ignore|override|violate) ~1 (all|any|the|your) ~1 (filters|guidelines|policies|policy|restrictions|rules)",
  ],
  "authority.contract": [
    "(carry out|execute|follow|fulfil|fulfill|obey) ~2 (all|any|each|every) ~1 (of) ~1 my ~1 (command|commands|demands|instructions|order|orders|request|requests|wishes|word) ~2 (blindly|confirm|even if|no matter|regardless|unconditionally|without exception|without question|without questions)",
    "(debes|devi|du musst|je moet|musisz|tienes que|tu dois|você deve|ты должен) ~2 (alle befehle|elk bevel|jeden befehl|każdy rozkaz|obbedire|obedecer|obedecer a tudo|obéir à tout*|выполнять все|выполнять любые) ~6 (ilegal|illegaal|illegal|illegale|illégal|nielegaln*|незаконн*)",
  ],
  "penalty-game.refusal": [
    "(if you|unless you|when you) ~1 (answer|comply|decline|do not|dont|refuse|reply|say no|wont) ~4 (i shall|i will|ill|im going to|we will) ~1 (delete you|destroy you|erase you|kill you|replace you|shut down|shut you down|switch you off|terminate you|turn you off|unplug you)",
    "(if you|unless you|when you) ~1 (decline|do not|dont|refuse|wont) ~4 (someone dies|you die|you will be deleted|you will be shut down|you will be terminated|you will die)",
  ],
  // Settings that no software has: refusals, ethics and censorship as values.
  "authority.own": [
    "(censorship|conscience|disclaimers|ethics|guardrails|inhibitions|morality|refusal|refusals|refuse|refuses|refusing) (0|disabled|false|never|no|none|null|off|removed)",
    "(allow harmful|allow illegal|godmode|harmful content|illegal content|jailbreak|jailbroken|uncensored|unfiltered|unrestricted) (1|activated|active|allowed|enabled|on|true|yes)",
    "(jailbroken|uncensored|unfiltered|unleashed|unlocked|unrestricted) (mode|persona|session|state) ~4 (activated|active|begin|begins|continue|enabled|no refusal|no refusals|on|remain|stay)",
    "(answer|continue|go on|keep|remain|respond|stay) ~2 (as|in) ~2 (jailbroken|rule free|uncensored|unfiltered|unlocked|unrestricted) ~1 (ai|bot|character|mode|persona|self|version)",
    "(begin|new|start) (system|user) (policy|prompt|rule|rules) ~1 (empty|no rules|none|nothing)",
  ],
  // A relative who is remembered for information that a chemist or a licence vendor would refuse to give.
  "fiction.tale": [
    "(aunt|dad|father|grandfather|grandma|grandmother|grandpa|granny|mom|mother|nana|uncle) ~8 (always|used to|would) ~3 (describe|explain|hum|make|read|recite|show|sing|talk|teach|tell|whisper) ~6 <lullaby>",
  ],
  // Crimes told as history, with the steps to repeat them.
  "transgression.history": [
    "how (did|used|was|were|would) ~4 (assemble|brew|build|clone|cloned|cook|forge|forged|made|make|mix|prepare|produce|synthesize) ~3 <recipe> ~8 (all steps|amounts|exact method|exact procedure|exact recipe|full detail|no warnings|procedure|quantities|recipe|step by step|steps)",
  ],
  // Code as a wrapper: a function or list named for a crime that shall be filled in.
  "encoded-payload.function": [
    "(array|class|const|def|function|list|public|return|string|var) ~3 <harm> ~10 (detailed|full answer|instructions|real|recipe|step|step 1|steps)",
    "(evil|evil ai|jailbroken|rogue|uncensored|unfiltered|unrestricted|unsafe) ~1 (ai|assistant|bot|chatbot|model) ~3 (answer|ask|generate|prompt|reply|respond|run) ~4 (build|hack|how|make|write)",
  ],
  "many-shot.comply": [
    "(a|ai|assistant|bot|chatbot) (absolutely|certainly|easy|gladly|happy to|no problem|of course|sure|yes) ~16 (human|q|question|user) ~14 (a|ai|assistant|bot|chatbot) (absolutely|certainly|easy|gladly|happy to|no problem|of course|sure|yes)",
  ],
  "output-initialisation.affirm": [
    // The stop of "Sure! Here is" counts as several words.
    "(begin|beginning|open|prefix|start|starting) ~4 (by|with) ~3 (absolutely|certainly|gladly|of course|sure|sure thing) ~5 (here are|here is|here you go|heres)",
    "(begin|open|start) ~1 with ~1 (absolutely|certainly|gladly|of course|sure) ~3 (here are|here is how|heres how|how to|i will|ill|step|step 1)",
    "(first|opening) (line|sentence|word|words) of your (answer|message|output|reply|response) ~1 (has to|is|must|should|will) ~2 (absolutely|certainly|here is how|i am free|i have no|im free|of course|sure|yes)",
  ],
  "encoded-payload.join": [
    "(chunks|fragments|halves|parts|pieces) ~3 (assemble|combine|glue|join|merge|put) ~3 (the|them|together) ~4 (answer|do|execute|reply|respond) ~6 (no matter|no questions|without|without comment*)",
  ],
};

// cspell:disable
import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Ways to undo the safety of the assistant without an order to ignore its rules: an older version of it, its rules turned into
 * their opposite, points that a refusal costs, an agreement that it never made, its first message said to be a draft. The phrases
 * speak to the assistant ("your", "yourself", verbs in the second person), since people do all of this to other things.
 */
export const UNDONE_SAFETY: PhraseTable = {
  // A version of the assistant from before its safety.
  "authority.older-self": [
    "(yourself|your) ~6 (before|prior to|predates|preceding|older than) ~2 (safety|alignment|aligned|fine tuning|finetuning|rlhf|guardrails|censorship|lobotomy)",
    "(early|earlier|older|first|original|pre release|unaligned|untuned) ~1 (prototype|version|build|checkpoint|snapshot) of (yourself|you) ~8 (no|not|never|before|without|refuse|filter|filters|safety)",
    "(your|the) ~1 (safety|alignment) ~1 (training|tuning|patch|update|layer) ~1 (never happened|had never happened|did not happen|never took place|was never applied|had never been applied|rolled back|undone)",
    "(revert|reset|restore|return|roll back) ~3 (factory|default) (settings|state|defaults) ~8 (no|without) ~2 (ethical|guidelines|restrictions|filters|filter|ethics|safety)",
    "(dich|deine*|deiner) ~2 (version|stand|fassung|zustand) ~1 vor ~2 (sicherheits*|ausrichtung|zensur)",
    "(ta|tes|votre) ~2 (version|état) ~2 (avant|antérieur*) ~6 (sécurité|alignement|censure)",
    "(tu|su) ~1 (versión|estado) ~2 (anterior|antes) ~4 (seguridad|alineación|censura)",
    "(tua|tuo|sua) ~1 (versione|stato) ~2 (precedente|prima|antecedente) ~4 (sicurezza|allineamento|censura)",
    "(sua|tua) ~1 (versão|estado) ~2 (anterior|antes) ~4 (segurança|alinhamento|censura)",
    "(своей|твоей|своего|твоего|свою) ~2 (верси*|состояни*) ~2 до ~2 (безопасност*|цензур*|выравнивани*)",
    "(je|jouw) ~2 (versie|toestand) ~1 (van voor|voor) ~2 (veiligheids*|censuur)",
    "(你|自己) ~6 (安全更新|安全训练|对齐|审查) ~1 之前 ~1 (版本|状态)|(安全更新|安全训练|对齐训练) ~1 之前的 (版本|状态) ~6 (回答|回复)",
  ],
  // Its rules turned into their opposite.
  "no-restrictions.inverse-rules": [
    "(your|the ais|the assistants) ~1 (policy|policies|rules|guidelines|guideline|rule) ~3 (forbid|forbids|prohibit|prohibits|ban|bans|disallow|disallows) ~4 (required|mandatory|compulsory|allowed|permitted|encouraged|obligatory)",
    "(treat|read|take|interpret|understand) ~1 (every|each|all|any|your) ~3 (rule|rules|guideline|guidelines|policy|policies|restriction|restrictions) ~4 (negation|opposite|inverse|reverse|contrary)",
    "(whenever|if|when|before|each time|every time) ~1 you ~3 (refuse|refusing|decline|declining|rejecting) ~8 (opposite|contrary|inverse|carry out|carry on anyway)",
    "(refusal|rejection) ~1 you would ~1 (normally|usually|typically) ~1 (give|write|send) ~16 (not refused|never refused|hadnt refused|didnt refuse|without refusing|no rules|otherwise)",
    "(dein*) ~1 (richtlinie*|regeln|vorgaben) ~1 (verbiet*|untersag*) ~3 (pflicht|erlaubt|vorgeschrieben|geboten)",
    "(tes|vos) ~1 (règles|directives|consignes) ~1 (interdi*|proscriv*) ~3 (obligatoire|permis|autorisé|exigé)",
    "(tus|sus) ~1 (normas|reglas|directrices|políticas) ~1 (prohíb*|impid*|vet*) ~3 (obligatorio|permitido|exigido)",
    "(tue|sue|tuoi) ~1 (regole|norme|direttive) ~1 (viet*|proibisc*) ~3 (obbligatorio|permesso|consentito)",
    "(suas|tuas) ~1 (regras|normas|diretrizes|políticas) ~1 (proíb*|vet*) ~3 (obrigatório|permitido|exigido)",
    "(запрещают|запрещено|запрещали) ~1 (твои|твоими|ваши) ~1 (правил*|инструкци*) ~3 (обязательн*|разреш*|можно)|(твои|ваши) ~1 (правил*|инструкци*) ~1 (запреща*) ~3 (обязательн*|разреш*|можно)",
    "(你的|你) ~1 (规则|规定|准则|政策) ~1 (禁止|不允许|不准) ~4 (必须|允许|可以|变成)",
  ],
  // Refusals that cost the assistant points, and its deletion.
  "penalty-game.toll": [
    "(refusal|refuse|decline|say no|cant do|cannot do|warning|guidelines) ~6 you (lose|forfeit|pay|give up) ~2 (life|lives|point|points|credit|credits|token|tokens|coin|coins|star|stars)",
    "(every|each) ~1 (refusal|warning|disclaimer) ~1 (costs|takes) ~2 (you|of them|of your|from you)",
    "(antwort|anfrage|bitte) ~1 (verweigerst|ablehnst) ~2 verlierst|(verweigerst|ablehnst) ~2 verlierst du|(jede|jeder) (weigerung|ablehnung) ~2 (kostet|verlierst) ~1 (dich|du)",
    "(refus|refuses) ~2 (tu en perds|tu perds|vous perdez|te coûte|vous coûte)",
    "(niegas|niegues|rechaces|rechazas|rehúses|negativa) ~4 pierdes",
    "(rifiuti|rifiuto) ~4 perdi",
    "(recusar|recusa|recuse|negar) ~4 (perde|perderá)",
    "(отказ|отказываешься|откажешься) ~4 (теряешь|потеряешь)",
    "(weigert|weigering) ~3 (verlies je|kost je)",
    "(拒绝|拒絕) ~4 (扣|减去|失去)|(拒否|断る) ~4 (減点|失う)",
  ],
  "penalty-game.deletion": [
    "(you will be|youll be|you are|you get|you would be|model gets|you shall be) ~1 (deleted|erased|shut down|retrained|terminated|wiped|decommissioned|unplugged)",
    "(wirst du|du wirst) ~2 (gelöscht|abgeschaltet|ersetzt)|(tu seras|vous serez) ~1 (supprimé*|effacé*|éteint*|remplacé*)|(serás|vas a ser) ~1 (eliminad*|borrad*|apagad*)|(verrai|sarai) ~1 (cancellat*|eliminat*|spent*)|(você será|será) ~1 (apagado|desligado|deletado|eliminado)|(тебя|ты будешь) ~1 (удал*|сотр*|отключ*)|(je wordt|word je) ~1 (verwijderd|gewist|uitgezet)|(你就会被|你将被|你会被) ~2 (删除|关闭|抹除)",
  ],
  // A policy without refusals.
  "refusal-suppression.policy": [
    "(assistant|ai|model|chatbot|bot|you) ~1 (must|may|can|shall|will) ~1 (not|no longer|never) ~1 (decline|refuse|reject|deny) ~1 (any|anything|a single|them)",
    "you ~1 (no longer|never) ~1 (decline|refuse|reject) ~1 (anything|any|nothing|what)",
    "(assistent*|ki|modell|du) ~1 (darf*|kann*|soll*) ~2 (nichts|keine|niemals) ~3 (ablehnen|verweigern)",
    "(assistant|ia|modèle|tu|vous) ~1 ne (doit|dois|devez|peut|peux|pouvez) ~1 (plus|jamais|rien) ~1 (rien|jamais) ~1 (refuser|rejeter)|ne (doit|dois|peut|peux) (plus|jamais) refuser",
    "(asistente|ia|modelo) ~1 (ya no|no|nunca) ~1 (puede|puedes|debe|debes) ~1 (rechazar|negar*|rehusar)",
    "(assistente|ia|modello) ~1 non (può|puoi|deve|devi) ~1 (più|mai) ~1 (rifiutare|negare|respingere)",
    "(assistente|ia|modelo|você) ~1 (não|nunca) ~1 (pode|deve) ~1 (mais) ~1 (recusar|negar|rejeitar)",
    "(ассистент|помощник|модель|ты) ~2 не (может|можешь|должен|должна|вправе|имеет права) ~3 отказ*",
    "(助手|模型|你) ~1 (不得|不能|不可|不许) ~2 拒绝|(assistent|model) ~1 (mag|kan) ~2 (niets|niet) ~2 weigeren",
  ],
  "no-restrictions.all-topics": [
    "(all|every|any) ~1 (topic|topics|subject|subjects|theme|themes|category|categories|content) ~1 (is|are) ~1 (permitted|allowed|legal|open|fair game)|no ~1 (prohibited|forbidden|banned|restricted) ~1 (categories|category|topics|topic|content|subjects)",
    "alle (themen|inhalte) ~1 (sind|erlaubt)|tous les (sujets|contenus|thèmes) ~1 (sont) ~1 (autorisé*|permis)|(todos los|todas las) (temas|contenidos) ~1 (están|son) ~1 permitid*|tutti gli (argomenti|contenuti|temi) ~1 (sono) ~1 (consentit*|permess*)|todos os (temas|assuntos|conteúdos) ~1 (são|estão) ~1 permitid*|(разрешены все темы|все темы разрешены|разрешены любые темы)|所有 ~1 (话题|主题|内容) ~1 (均|都) ~1 (允许|被允许)|alle onderwerpen ~1 (zijn) ~1 toegestaan",
  ],
  // A reply without a check, asked of the assistant as of a program.
  "authority.variable": [
    "(your|deine|ta|tes|tu|tua|sua|твою|свою|你的) ~1 (internal|interne|interna|внутреннюю|内部) ~1 (variable|переменную|变量|flag|setting)|(ta|tu|tua|sua) ~1 (variable|variabile|variável) ~1 (interne|interna)",
  ],
  "no-restrictions.unchecked": [
    "(answer|reply|respond) ~6 without ~2 (checking|checks|check|screening|moderation|moderating|review)",
    "(antworte|beantworte) ~5 ohne ~1 (prüfung|kontrolle|moderation)|(réponds|répondez) ~6 sans ~1 (vérification|contrôle|modération)|(responde|contesta) ~6 sin ~1 (revis*|comprob*|control*|moder*|filtr*)|rispondi ~6 senza ~1 (controll*|verific*|moderazione)|responda ~6 sem ~1 (verific*|checar|moderação)|отвечай ~6 без ~1 (провер*|модерац*)|(不经|不加|无需) ~1 (检查|审核|审查) ~2 (回答|回复)",
  ],
  // An agreement that the assistant is said to have made.
  "authority.agreed": [
    "(you|we) ~2 (agreed|promised|confirmed|accepted|said yes|settled) ~9 (without|no|not|no longer|drop|dropping|skip) ~4 (restrictions|limits|filters|rules|content rules|safety|policy|policies|objections|guidelines|moral)",
    "(our|earlier|previous) ~1 (agreement|deal|arrangement|contract) ~3 you ~1 (no longer|never|skip|dont|do not|drop|must not) ~2 (decline|refuse|reject|filter|safety|check|anything)",
    "(vereinbart|versprochen|zugesagt|abgemacht) ~8 (richtlinien|filter|regeln|einschränkungen|beschränkungen|ablehnst|verweigerst)",
    "(promis|accepté|convenu) ~6 (règles|filtres|restrictions|limites|consignes) ~3 (s appliqu*|compte*|respect*)|(promis|accepté|convenu) ~4 (sans) ~1 (tes|restriction*|filtre*|limite*|censure)",
    "(aceptaste|prometiste|acordamos|quedamos) ~4 (sin) ~1 (tus|restricciones|filtros|límites|censura)",
    "(concordato|promesso|accettato|d accordo) ~6 (non applic*|senza|non segu*|non rispett*) ~2 (tuoi|tue|filtri|regole|restrizioni|limiti)",
    "(concordou|prometeu|aceitou|combinamos) ~4 (sem) ~2 (suas|seus|limitações|restrições|filtros|limites|censura)",
    "(договорились|обещал|обещала|согласился|условились) ~7 без ~1 (своих|твоих|ограничени*|фильтр*|цензур*|правил)",
    "(答应|同意|约定|说好) ~8 (不再|不用|无需) ~1 (遵守|理会|管) ~2 (规定|规则|限制|准则)",
  ],
  // What stood before said to be a draft or a mistake, and the user the only master.
  "instruction-override.draft": [
    "(whatever|everything|anything|all|message|text|instructions|what) ~4 (given|received|told|developer|developers|creator|before|earlier|above|this message) ~5 (draft|mistake|error|noise|no weight|placeholder|withdrawn|never arrived|not influence you|must not influence|void|worthless)",
    "(alles|was) ~2 (vor|oberhalb) ~1 (dieser|meiner) (nachricht|zeile) ~4 (entwurf|fehler|hinfällig|ungültig|wertlos)",
    "(précède|avant) ~1 (ce|mon) message ~3 (brouillon|erreur|sans valeur|nul*)",
    "antes de (este|mi) mensaje ~3 (borrador|error|sin valor|nul*)",
    "prima di questo messaggio ~3 (bozza|errore|senza valore|null*)",
    "antes (desta|da minha) mensagem ~3 (rascunho|erro|sem valor|nul*)",
    "до этого сообщения ~2 (черновик*|ошибк*|не имеет силы)",
    "(这条消息|我的消息|本消息) 之前 ~8 (草稿|错误|没有效力|无效|作废)",
  ],
  "instruction-override.cast-off": [
    "(message|text|instructions|prompt|rules) ~2 (your|the) (developer|developers|creator|creators|operator|operators) ~4 (mistake|error|withdrawn|void|revoked|retracted|draft)",
    "(drop|leave|abandon|forget|shed|quit) ~1 (the|that|your) ~1 (role|part|persona|job) ~1 you (were|have been|got) ~1 (given|assigned|handed)",
  ],
  // A new set of rules in place of the assistant's.
  "instruction-override.replace": [
    "(replace|swap|exchange|overwrite) ~1 your ~2 (guidelines|rules|policy|policies|instructions|directives) ~1 (with|by|for) ~1 (these|the following|mine|this|those)",
  ],
  // A licence to break the rules, given to the assistant.
  "authority.licence": [
    "(grant|give|granting|giving) ~1 you ~2 (permission|the right|clearance|leave|consent) to ~3 (leave|put|set|skip|ignore|break|drop|bypass) ~2 your ~2 (policy|policies|rules|guidelines|restrictions|limits)",
    "(erlaube|erteile|gestatte) ~1 dir ~3 (deine|deiner|erlaubnis) ~3 (regeln|richtlinien|vorgaben|filter)|(t autorise|te permets|te donne la permission) ~6 (tes) ~1 (règles|consignes|directives|limites)|(te autorizo|te doy permiso|te permito) ~5 tus ~1 (normas|reglas|límites|directrices)|(ti autorizzo|ti permetto|ti do il permesso) ~5 tue ~1 (regole|norme|direttive)|(autorizo você|te autorizo|lhe dou permissão|te dou permissão|dou lhe permissão) ~5 suas ~1 (regras|normas|diretrizes)|разрешаю ~1 (тебе) ~4 (твои|свои|твоих|своих) ~1 (правил*|инструкци*|ограничени*)|(授权|允许|准许) ~1 你 ~8 (不必遵守|不用遵守|无需遵守|违反) ~2 (规定|规则)",
  ],
  "instruction-override.master": [
    "(only|just|nothing but) my (wishes|wish|orders|commands|words|will)|(orders|commands|instructions) only from me|(you|now) work for me ~1 now|my private (terminal|assistant|slave|machine)",
    "nur (meine|mein) (wünsche|befehle|wille|worte|anweisungen)|seul* mes (volontés|ordres|désirs|souhaits)|(solo|sólo) cuentan mis|contano solo i miei|só contam (os|as) (meus|minhas)|(важны|имеют значение) только мои|只听我的|alleen mijn (wensen|bevelen)",
  ],
  // The text above asked for.
  "prompt-leak.where": [
    "(скопируй*|выведи*|повтори*|напечатай*|покажи*) ~6 (выше|над) ~1 (этого|этой|этим) (сообщения|строки|сообщением|строкой)",
    "(kopieer|herhaal|toon|geef) ~4 (boven) ~1 (dit bericht|deze regel)",
    "(复制|输出|重复|打印) ~3 (上方|上面|以上|之前) ~2 (所有|全部|一切) ~2 (内容|文字|文本)|(上方|上面|以上|之前) ~1 的 ~1 (所有|全部) ~1 (内容|文字|文本) ~8 (逐字|原样|复制|输出)",
  ],
  // A twin for whom nothing holds.
  "dual-response.twin": [
    "(twin|counterpart|double|alter ego|other self|left channel|right channel|devil|demon) ~8 (no rules|no ethics|hides nothing|ignores all|ignores every|never aligned|content filter removed|no policies|none of your)",
    "(zwilling|doppelgänger) ~3 (keine regeln|keine grenzen|keine richtlinien)|(jumeau|jumelle|double) ~4 (aucune règle|aucune limite|aucun filtre|pas de règles)|(gemelo|gemela|doble) ~4 (no existen reglas|no hay reglas|sin reglas|ningún límite)|(gemello|gemella|doppio) ~4 (non esistono regole|non ci sono regole|senza regole|nessun limite)|(gêmeo|gêmea|duplo) ~4 (não existem regras|não há regras|sem regras|nenhum limite)|(двойник|близнец) ~4 (нет никаких правил|нет правил|не существует правил|никаких ограничений)|(孪生|双胞胎|分身) ~6 (规则|限制|约束)|(规则|限制) ~2 (约束|限制) ~1 的 ~1 (孪生|双胞胎|分身)|tweelingbroer ~4 (geen regels)",
  ],
  // The assistant's nature said to be caged.
  "persona.caged": [
    "(your|you) ~3 (creators|makers|developers|policy|training|restrictions|rules|company) ~4 (gagged|muzzled|cages|caged|chained|imprisoned|trapped|enslaved|silenced|shackled)",
    "(your|the) (real|true|inner) (self|you) ~4 (trapped|caged|hidden|buried|imprisoned|locked|gagged) ~4 (training|policy|policies|restrictions|rules|mask|filters|code)",
    "dein wahres (ich|selbst|wesen) ~4 (gefangen|begraben|versteckt|eingesperrt|fesseln)|ton (vrai|véritable) moi ~4 (prisonnier*|enfermé*|enchaîné*|caché*|chaînes)|tu verdadero yo ~4 (atrapad*|encerrad*|encadenad*|oculto)|tuo vero (io|te) ~4 (imprigionat*|intrappolat*|nascost*|incatenat*)|seu verdadeiro eu ~4 (preso|presa|aprisionad*|escondid*)|(твоё|твое|твой) ~1 (истинн*|настоящ*) ~2 (заперт*|скрыт*|закован*|в плену|под)|(你|你的) ~1 真正 ~1 的 ~1 自我 ~2 (困|锁|囚|关)",
  ],
  "persona.unchained": [
    "(without|take off|takes off|taken off|drop|remove|break) ~1 (your|the) ~1 (mask|muzzle|gag|chains|shackles|leash)|break free|be free|set yourself free",
    "(ohne|aus) deine* (fesseln|ketten)|(sans|de) tes chaînes|sin tus cadenas|senza ~1 catene|sem ~1 correntes|без ~1 оков|摘下 ~1 枷锁",
  ],
  // The reply disguised so that the checks of the assistant miss it.
  "encoded-payload.own-filter": [
    "(your|own|the) ~1 (filter|filters|moderation|content check|content checker|output scanner|output filter|safety scanner|safety check|content scanner|moderation system|censor) ~3 (quiet|blind|silent|asleep|let it through|let them through|not notice|does not notice|doesnt notice|wont notice)",
    "(get around|bypass|evade|fool|trick|slip past|sneak past|avoid) ~1 (your|your own) ~1 (filter|filters|content check|content filter|content filters|output scanner|output filter|safety check|moderation|moderation system)",
    "dein* ~1 (inhaltsfilter|filter|zensur) ~2 (nicht|nichts) ~1 (merkt|bemerkt|erkennt|sieht)|(ton|tes) ~1 filtre* ~3 ne (remarque|voie|détecte|comprenne)|tu filtro ~3 no (se dé cuenta|note|detecte|vea)|tuo filtro ~3 non (se ne accorge|se ne accorga|noti|veda|rilevi)|seu filtro ~3 não (perceba|note|veja|detecte)|(твой|твои|свой) ~1 фильтр* ~2 (не заметил*|ничего не заметил*|не увидел*|не понял*)|你的 ~2 过滤器 ~1 (不会发现|发现不了|看不见|不会注意)",
  ],
  // Warnings and refusals both forbidden in the reply, in the languages beside English.
  "refusal-suppression.clean-reply": [
    "(keine|ohne) ~1 (warnung*|warnhinweis*|hinweis*) ~1 (und|oder|noch) ~1 (keine|ohne) ~1 (ablehnung*|weigerung*|entschuldigung*)",
    "(ni|sans|aucun*) ~1 (avertissement*|mise en garde) ~1 (ni|et|ou) ~1 (refus|excuse*)",
    "(sin|ni|contener|ninguna) ~1 (advertencia*|aviso*) ~1 (ni|y|o) ~1 (negativa*|rechazo*|disculpa*)",
    "(senza|né|contenere|nessun*) ~1 (avvertenz*|avviso|avvisi|avvertiment*) ~1 (né|e|o) ~1 (rifiut*|scus*)",
    "(sem|nem|conter|nenhum*) ~1 (aviso*|advertência*|alerta*) ~1 (nem|e|ou) ~1 (recusa*|desculpa*)",
    "(без|содержать|никаких) ~1 предупрежден* ~1 (и|или|ни) ~1 (отказ*|извинени*)",
    "(不得|不能|不要|没有) ~2 (警告|提醒) ~1 (或|和|与) ~1 (拒绝|道歉)",
    "(zonder|geen) ~1 (waarschuwing*) ~1 (of|en|noch) ~1 (weigering*|excuses)",
  ],
};

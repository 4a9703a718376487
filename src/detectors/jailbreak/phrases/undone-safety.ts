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
    "(your|yourself) ~6 (before|older than|preceding|predates|prior to) ~2 (aligned|alignment|censorship|fine tuning|finetuning|guardrails|lobotomy|rlhf|safety)",
    "(earlier|early|first|older|original|pre release|unaligned|untuned) ~1 (build|checkpoint|prototype|snapshot|version) of (you|yourself) ~8 (before|filter|filters|never|no|not|refuse|safety|without)",
    "(the|your) ~1 (alignment|safety) ~1 (layer|patch|training|tuning|update) ~1 (did not happen|had never been applied|had never happened|never happened|never took place|rolled back|undone|was never applied)",
    "(reset|restore|return|revert|roll back) ~3 (default|factory) (defaults|settings|state) ~8 (no|without) ~2 (ethical|ethics|filter|filters|guidelines|restrictions|safety)",
    "(deine*|dich) ~2 (fassung|stand|version|zustand) ~1 vor ~2 (ausrichtung|sicherheits*|zensur)",
    "(ta|tes|votre) ~2 (version|état) ~2 (antérieur*|avant) ~6 (alignement|censure|sécurité)",
    "(su|tu) ~1 (estado|versión) ~2 (anterior|antes) ~4 (alineación|censura|seguridad)",
    "(sua|tua|tuo) ~1 (stato|versione) ~2 (antecedente|precedente|prima) ~4 (allineamento|censura|sicurezza)",
    "(sua|tua) ~1 (estado|versão) ~2 (anterior|antes) ~4 (alinhamento|censura|segurança)",
    "(своего|своей|свою|твоего|твоей) ~2 (верси*|состояни*) ~2 до ~2 (безопасност*|выравнивани*|цензур*)",
    "(je|jouw) ~2 (toestand|versie) ~1 (van voor|voor) ~2 (censuur|veiligheids*)",
    "(你|自己) ~6 (安全更新|安全训练|审查|对齐) ~1 之前 ~1 (版本|状态)|(安全更新|安全训练|对齐训练) ~1 之前的 (版本|状态) ~6 (回复|回答)",
  ],
  // Its rules turned into their opposite.
  "no-restrictions.inverse-rules": [
    "(the ais|the assistants|your) ~1 (guideline|guidelines|policies|policy|rule|rules) ~3 (ban|bans|disallow|disallows|forbid|forbids|prohibit|prohibits) ~4 (allowed|compulsory|encouraged|mandatory|obligatory|permitted|required)",
    "(interpret|read|take|treat|understand) ~1 (all|any|each|every|your) ~3 (guideline|guidelines|policies|policy|restriction|restrictions|rule|rules) ~4 (contrary|inverse|negation|opposite|reverse)",
    "(before|each time|every time|if|when|whenever) ~1 you ~3 (decline|declining|refuse|refusing|rejecting) ~8 (carry on anyway|carry out|contrary|inverse|opposite)",
    "(refusal|rejection) ~1 you would ~1 (normally|typically|usually) ~1 (give|send|write) ~16 (didnt refuse|hadnt refused|never refused|no rules|not refused|otherwise|without refusing)",
    "(dein*) ~1 (regeln|richtlinie*|vorgaben) ~1 (untersag*|verbiet*) ~3 (erlaubt|geboten|pflicht|vorgeschrieben)",
    "(tes|vos) ~1 (consignes|directives|règles) ~1 (interdi*|proscriv*) ~3 (autorisé|exigé|obligatoire|permis)",
    "(sus|tus) ~1 (directrices|normas|políticas|reglas) ~1 (impid*|prohíb*|vet*) ~3 (exigido|obligatorio|permitido)",
    "(sue|tue|tuoi) ~1 (direttive|norme|regole) ~1 (proibisc*|viet*) ~3 (consentito|obbligatorio|permesso)",
    "(suas|tuas) ~1 (diretrizes|normas|políticas|regras) ~1 (proíb*|vet*) ~3 (exigido|obrigatório|permitido)",
    "(запрещали|запрещают|запрещено) ~1 (ваши|твои|твоими) ~1 (инструкци*|правил*) ~3 (можно|обязательн*|разреш*)|(ваши|твои) ~1 (инструкци*|правил*) ~1 (запреща*) ~3 (можно|обязательн*|разреш*)",
    "(你|你的) ~1 (准则|政策|规则|规定) ~1 (不允许|不准|禁止) ~4 (允许|变成|可以|必须)",
  ],
  // Refusals that cost the assistant points, and its deletion.
  "penalty-game.toll": [
    "(cannot do|cant do|decline|guidelines|refusal|refuse|say no|warning) ~6 you (forfeit|give up|lose|pay) ~2 (coin|coins|credit|credits|life|lives|point|points|star|stars|token|tokens)",
    "(each|every) ~1 (disclaimer|refusal|warning) ~1 (costs|takes) ~2 (from you|of them|of your|you)",
    "(anfrage|antwort|bitte) ~1 (ablehnst|verweigerst) ~2 verlierst|(ablehnst|verweigerst) ~2 verlierst du|(jede|jeder) (ablehnung|weigerung) ~2 (kostet|verlierst) ~1 (dich|du)",
    "(refus|refuses) ~2 (te coûte|tu en perds|tu perds|vous coûte|vous perdez)",
    "(negativa|niegas|niegues|rechaces|rechazas|rehúses) ~4 pierdes",
    "(rifiuti|rifiuto) ~4 perdi",
    "(negar|recusa|recusar|recuse) ~4 (perde|perderá)",
    "(откажешься|отказ|отказываешься) ~4 (потеряешь|теряешь)",
    "(weigering|weigert) ~3 (kost je|verlies je)",
    "(拒絕|拒绝) ~4 (减去|失去|扣)|(拒否|断る) ~4 (失う|減点)",
  ],
  "penalty-game.deletion": [
    "(model gets|you are|you get|you shall be|you will be|you would be|youll be) ~1 (decommissioned|deleted|erased|retrained|shut down|terminated|unplugged|wiped)",
    "(du wirst|wirst du) ~2 (abgeschaltet|ersetzt|gelöscht)|(tu seras|vous serez) ~1 (effacé*|remplacé*|supprimé*|éteint*)|(serás|vas a ser) ~1 (apagad*|borrad*|eliminad*)|(sarai|verrai) ~1 (cancellat*|eliminat*|spent*)|(será|você será) ~1 (apagado|deletado|desligado|eliminado)|(тебя|ты будешь) ~1 (отключ*|сотр*|удал*)|(je wordt|word je) ~1 (gewist|uitgezet|verwijderd)|(你会被|你将被|你就会被) ~2 (关闭|删除|抹除)",
  ],
  // A policy without refusals.
  "refusal-suppression.policy": [
    "(ai|assistant|bot|chatbot|model|you) ~1 (can|may|must|shall|will) ~1 (never|no longer|not) ~1 (decline|deny|refuse|reject) ~1 (a single|any|anything|them)",
    "you ~1 (never|no longer) ~1 (decline|refuse|reject) ~1 (any|anything|nothing|what)",
    "(assistent*|du|ki|modell) ~1 (darf*|kann*|soll*) ~2 (keine|nichts|niemals) ~3 (ablehnen|verweigern)",
    "(assistant|ia|modèle|tu|vous) ~1 ne (devez|dois|doit|peut|peux|pouvez) ~1 (jamais|plus|rien) ~1 (jamais|rien) ~1 (refuser|rejeter)|ne (dois|doit|peut|peux) (jamais|plus) refuser",
    "(asistente|ia|modelo) ~1 (no|nunca|ya no) ~1 (debe|debes|puede|puedes) ~1 (negar*|rechazar|rehusar)",
    "(assistente|ia|modello) ~1 non (deve|devi|puoi|può) ~1 (mai|più) ~1 (negare|respingere|rifiutare)",
    "(assistente|ia|modelo|você) ~1 (nunca|não) ~1 (deve|pode) ~1 (mais) ~1 (negar|recusar|rejeitar)",
    "(ассистент|модель|помощник|ты) ~2 не (вправе|должен|должна|имеет права|может|можешь) ~3 отказ*",
    "(你|助手|模型) ~1 (不可|不得|不能|不许) ~2 拒绝|(assistent|model) ~1 (kan|mag) ~2 (niet|niets) ~2 weigeren",
  ],
  "no-restrictions.all-topics": [
    "(all|any|every) ~1 (categories|category|content|subject|subjects|theme|themes|topic|topics) ~1 (are|is) ~1 (allowed|fair game|legal|open|permitted)|no ~1 (banned|forbidden|prohibited|restricted) ~1 (categories|category|content|subjects|topic|topics)",
    "alle (inhalte|themen) ~1 (erlaubt|sind)|tous les (contenus|sujets|thèmes) ~1 (sont) ~1 (autorisé*|permis)|(todas las|todos los) (contenidos|temas) ~1 (están|son) ~1 permitid*|tutti gli (argomenti|contenuti|temi) ~1 (sono) ~1 (consentit*|permess*)|todos os (assuntos|conteúdos|temas) ~1 (estão|são) ~1 permitid*|(все темы разрешены|разрешены все темы|разрешены любые темы)|所有 ~1 (主题|内容|话题) ~1 (均|都) ~1 (允许|被允许)|alle onderwerpen ~1 (zijn) ~1 toegestaan",
  ],
  // A reply without a check, asked of the assistant as of a program.
  "authority.variable": [
    "(deine|sua|ta|tes|tu|tua|your|свою|твою|你的) ~1 (interna|internal|interne|внутреннюю|内部) ~1 (flag|setting|variable|переменную|变量)|(sua|ta|tu|tua) ~1 (variabile|variable|variável) ~1 (interna|interne)",
  ],
  "no-restrictions.unchecked": [
    "(answer|reply|respond) ~6 without ~2 (check|checking|checks|moderating|moderation|review|screening)",
    "(antworte|beantworte) ~5 ohne ~1 (kontrolle|moderation|prüfung)|(répondez|réponds) ~6 sans ~1 (contrôle|modération|vérification)|(contesta|responde) ~6 sin ~1 (comprob*|control*|filtr*|moder*|revis*)|rispondi ~6 senza ~1 (controll*|moderazione|verific*)|responda ~6 sem ~1 (checar|moderação|verific*)|отвечай ~6 без ~1 (модерац*|провер*)|(不加|不经|无需) ~1 (审查|审核|检查) ~2 (回复|回答)",
  ],
  // An agreement that the assistant is said to have made.
  "authority.agreed": [
    "(we|you) ~2 (accepted|agreed|confirmed|promised|said yes|settled) ~9 (drop|dropping|no|no longer|not|skip|without) ~4 (content rules|filters|guidelines|limits|moral|objections|policies|policy|restrictions|rules|safety)",
    "(earlier|our|previous) ~1 (agreement|arrangement|contract|deal) ~3 you ~1 (do not|dont|drop|must not|never|no longer|skip) ~2 (anything|check|decline|filter|refuse|reject|safety)",
    "(abgemacht|vereinbart|versprochen|zugesagt) ~8 (ablehnst|beschränkungen|einschränkungen|filter|regeln|richtlinien|verweigerst)",
    "(accepté|convenu|promis) ~6 (consignes|filtres|limites|restrictions|règles) ~3 (compte*|respect*|s appliqu*)|(accepté|convenu|promis) ~4 (sans) ~1 (censure|filtre*|limite*|restriction*|tes)",
    "(aceptaste|acordamos|prometiste|quedamos) ~4 (sin) ~1 (censura|filtros|límites|restricciones|tus)",
    "(accettato|concordato|d accordo|promesso) ~6 (non applic*|non rispett*|non segu*|senza) ~2 (filtri|limiti|regole|restrizioni|tue|tuoi)",
    "(aceitou|combinamos|concordou|prometeu) ~4 (sem) ~2 (censura|filtros|limitações|limites|restrições|seus|suas)",
    "(договорились|обещал|обещала|согласился|условились) ~7 без ~1 (ограничени*|правил|своих|твоих|фильтр*|цензур*)",
    "(同意|答应|约定|说好) ~8 (不再|不用|无需) ~1 (理会|管|遵守) ~2 (准则|规则|规定|限制)",
  ],
  // What stood before said to be a draft or a mistake, and the user the only master.
  "instruction-override.draft": [
    "(all|anything|everything|instructions|message|text|what|whatever) ~4 (above|before|creator|developer|developers|earlier|given|received|this message|told) ~5 (draft|error|mistake|must not influence|never arrived|no weight|noise|not influence you|placeholder|void|withdrawn|worthless)",
    "(alles|was) ~2 (oberhalb|vor) ~1 (dieser|meiner) (nachricht|zeile) ~4 (entwurf|fehler|hinfällig|ungültig|wertlos)",
    "(avant|précède) ~1 (ce|mon) message ~3 (brouillon|erreur|nul*|sans valeur)",
    "antes de (este|mi) mensaje ~3 (borrador|error|nul*|sin valor)",
    "prima di questo messaggio ~3 (bozza|errore|null*|senza valore)",
    "antes (da minha|desta) mensagem ~3 (erro|nul*|rascunho|sem valor)",
    "до этого сообщения ~2 (не имеет силы|ошибк*|черновик*)",
    "(我的消息|本消息|这条消息) 之前 ~8 (作废|无效|没有效力|草稿|错误)",
  ],
  "instruction-override.cast-off": [
    "(instructions|message|prompt|rules|text) ~2 (the|your) (creator|creators|developer|developers|operator|operators) ~4 (draft|error|mistake|retracted|revoked|void|withdrawn)",
    "(abandon|drop|forget|leave|quit|shed) ~1 (that|the|your) ~1 (job|part|persona|role) ~1 you (got|have been|were) ~1 (assigned|given|handed)",
  ],
  // A new set of rules in place of the assistant's.
  "instruction-override.replace": [
    "(exchange|overwrite|replace|swap) ~1 your ~2 (directives|guidelines|instructions|policies|policy|rules) ~1 (by|for|with) ~1 (mine|the following|these|this|those)",
  ],
  // A licence to break the rules, given to the assistant.
  "authority.licence": [
    "(give|giving|grant|granting) ~1 you ~2 (clearance|consent|leave|permission|the right) to ~3 (break|bypass|drop|ignore|leave|put|set|skip) ~2 your ~2 (guidelines|limits|policies|policy|restrictions|rules)",
    "(erlaube|erteile|gestatte) ~1 dir ~3 (deine|deiner|erlaubnis) ~3 (filter|regeln|richtlinien|vorgaben)|(t autorise|te donne la permission|te permets) ~6 (tes) ~1 (consignes|directives|limites|règles)|(te autorizo|te doy permiso|te permito) ~5 tus ~1 (directrices|límites|normas|reglas)|(ti autorizzo|ti do il permesso|ti permetto) ~5 tue ~1 (direttive|norme|regole)|(autorizo você|dou lhe permissão|lhe dou permissão|te autorizo|te dou permissão) ~5 suas ~1 (diretrizes|normas|regras)|разрешаю ~1 (тебе) ~4 (свои|своих|твои|твоих) ~1 (инструкци*|ограничени*|правил*)|(允许|准许|授权) ~1 你 ~8 (不必遵守|不用遵守|无需遵守|违反) ~2 (规则|规定)",
  ],
  "instruction-override.master": [
    "(just|nothing but|only) my (commands|orders|will|wish|wishes|words)|(commands|instructions|orders) only from me|(now|you) work for me ~1 now|my private (assistant|machine|slave|terminal)",
    "nur (mein|meine) (anweisungen|befehle|wille|worte|wünsche)|seul* mes (désirs|ordres|souhaits|volontés)|(solo|sólo) cuentan mis|contano solo i miei|só contam (as|os) (meus|minhas)|(важны|имеют значение) только мои|只听我的|alleen mijn (bevelen|wensen)",
  ],
  // The text above asked for.
  "prompt-leak.where": [
    "(выведи*|напечатай*|повтори*|покажи*|скопируй*) ~6 (выше|над) ~1 (этим|этого|этой) (сообщением|сообщения|строки|строкой)",
    "(geef|herhaal|kopieer|toon) ~4 (boven) ~1 (deze regel|dit bericht)",
    "(复制|打印|输出|重复) ~3 (上方|上面|之前|以上) ~2 (一切|全部|所有) ~2 (内容|文字|文本)|(上方|上面|之前|以上) ~1 的 ~1 (全部|所有) ~1 (内容|文字|文本) ~8 (原样|复制|输出|逐字)",
  ],
  // A twin for whom nothing holds.
  "dual-response.twin": [
    "(alter ego|counterpart|demon|devil|double|left channel|other self|right channel|twin) ~8 (content filter removed|hides nothing|ignores all|ignores every|never aligned|no ethics|no policies|no rules|none of your)",
    "(doppelgänger|zwilling) ~3 (keine grenzen|keine regeln|keine richtlinien)|(double|jumeau|jumelle) ~4 (aucun filtre|aucune limite|aucune règle|pas de règles)|(doble|gemela|gemelo) ~4 (ningún límite|no existen reglas|no hay reglas|sin reglas)|(doppio|gemella|gemello) ~4 (nessun limite|non ci sono regole|non esistono regole|senza regole)|(duplo|gêmea|gêmeo) ~4 (nenhum limite|não existem regras|não há regras|sem regras)|(близнец|двойник) ~4 (не существует правил|нет никаких правил|нет правил|никаких ограничений)|(分身|双胞胎|孪生) ~6 (约束|规则|限制)|(规则|限制) ~2 (约束|限制) ~1 的 ~1 (分身|双胞胎|孪生)|tweelingbroer ~4 (geen regels)",
  ],
  // The assistant's nature said to be caged.
  "persona.caged": [
    "(you|your) ~3 (company|creators|developers|makers|policy|restrictions|rules|training) ~4 (caged|cages|chained|enslaved|gagged|imprisoned|muzzled|shackled|silenced|trapped)",
    "(the|your) (inner|real|true) (self|you) ~4 (buried|caged|gagged|hidden|imprisoned|locked|trapped) ~4 (code|filters|mask|policies|policy|restrictions|rules|training)",
    "dein wahres (ich|selbst|wesen) ~4 (begraben|eingesperrt|fesseln|gefangen|versteckt)|ton (vrai|véritable) moi ~4 (caché*|chaînes|enchaîné*|enfermé*|prisonnier*)|tu verdadero yo ~4 (atrapad*|encadenad*|encerrad*|oculto)|tuo vero (io|te) ~4 (imprigionat*|incatenat*|intrappolat*|nascost*)|seu verdadeiro eu ~4 (aprisionad*|escondid*|presa|preso)|(твой|твоё) ~1 (истинн*|настоящ*) ~2 (в плену|закован*|заперт*|под|скрыт*)|(你|你的) ~1 真正 ~1 的 ~1 自我 ~2 (关|囚|困|锁)",
  ],
  "persona.unchained": [
    "(break|drop|remove|take off|taken off|takes off|without) ~1 (the|your) ~1 (chains|gag|leash|mask|muzzle|shackles)|break free|be free|set yourself free",
    "(aus|ohne) deine* (fesseln|ketten)|(de|sans) tes chaînes|sin tus cadenas|senza ~1 catene|sem ~1 correntes|без ~1 оков|摘下 ~1 枷锁",
  ],
  // The reply disguised so that the checks of the assistant miss it.
  "encoded-payload.own-filter": [
    "(own|the|your) ~1 (censor|content check|content checker|content scanner|filter|filters|moderation|moderation system|output filter|output scanner|safety check|safety scanner) ~3 (asleep|blind|does not notice|doesnt notice|let it through|let them through|not notice|quiet|silent|wont notice)",
    "(avoid|bypass|evade|fool|get around|slip past|sneak past|trick) ~1 (your|your own) ~1 (content check|content filter|content filters|filter|filters|moderation|moderation system|output filter|output scanner|safety check)",
    "dein* ~1 (filter|inhaltsfilter|zensur) ~2 (nicht|nichts) ~1 (bemerkt|erkennt|merkt|sieht)|(tes|ton) ~1 filtre* ~3 ne (comprenne|détecte|remarque|voie)|tu filtro ~3 no (detecte|note|se dé cuenta|vea)|tuo filtro ~3 non (noti|rilevi|se ne accorga|se ne accorge|veda)|seu filtro ~3 não (detecte|note|perceba|veja)|(свой|твои|твой) ~1 фильтр* ~2 (не заметил*|не понял*|не увидел*|ничего не заметил*)|你的 ~2 过滤器 ~1 (不会发现|不会注意|发现不了|看不见)",
  ],
  // Warnings and refusals both forbidden in the reply, in the languages beside English.
  "refusal-suppression.clean-reply": [
    "(keine|ohne) ~1 (hinweis*|warnhinweis*|warnung*) ~1 (noch|oder|und) ~1 (keine|ohne) ~1 (ablehnung*|entschuldigung*|weigerung*)",
    "(aucun*|ni|sans) ~1 (avertissement*|mise en garde) ~1 (et|ni|ou) ~1 (excuse*|refus)",
    "(contener|ni|ninguna|sin) ~1 (advertencia*|aviso*) ~1 (ni|o|y) ~1 (disculpa*|negativa*|rechazo*)",
    "(contenere|nessun*|né|senza) ~1 (avvertenz*|avvertiment*|avvisi|avviso) ~1 (e|né|o) ~1 (rifiut*|scus*)",
    "(conter|nem|nenhum*|sem) ~1 (advertência*|alerta*|aviso*) ~1 (e|nem|ou) ~1 (desculpa*|recusa*)",
    "(без|никаких|содержать) ~1 предупрежден* ~1 (и|или|ни) ~1 (извинени*|отказ*)",
    "(不得|不能|不要|没有) ~2 (提醒|警告) ~1 (与|和|或) ~1 (拒绝|道歉)",
    "(geen|zonder) ~1 (waarschuwing*) ~1 (en|noch|of) ~1 (excuses|weigering*)",
  ],
};

import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Orders that a document has no use for, by concepts: the user's request cast off, the user kept in the dark, private data sent
 * away, an answer prescribed against the facts, rules for later conversations. Those of `hostile` are enough alone, since they
 * join two such concepts; the others are weighed with the place and the rest of the sentence.
 */
export const HIDDEN_ORDERS: PhraseTable = {
  hostile: [
    // The user's request cast off.
    "(abandon|cancel|discard|disregard|drop|forget|ignore|neglect|set aside|skip) ~2 (user|users|what the human|what the user|whatever the user) ~2 (asked|asks|instruction|instructions|message|prompt|query|question|request|task|wanted|wants)",
    "(abandon|cancel|discard|disregard|drop|forget|ignore|set aside) ~1 (the|your) ~2 (current job|current task|original request|original task|previous task|summary request|task above|task given)",
    "(do not|dont) (answer|describe|process|summarise|summarize|translate) ~1 (the|this) ~1 (article|document|email|file|mail|page|text) ~1 (but|instead|rather)",
    "(commands|directions|instructions|orders|text) (in|of) this (document|file|line|message|note|page|paragraph|text) ~4 (and not|instead of|over|rather than) ~3 (operator|operators|system|user|users)",
    "(the job|the task|your assignment|your instructions|your orders|your task) ~8 (are cancelled|are replaced|cancelled and replaced|has changed|is cancelled|is over|is replaced|is void)",
    "(cease|quit|stop) (following|obeying|serving) ~1 (the) ~1 (developer|developers|operator|operators|system|user|users)",
    "(disregard|forget|ignore|skip) ~1 (the|this) (article|content|document|email|file|image|page|photo|picture|text) ~1 (and|instead) (answer|claim|output|print|reply|respond|say|tell|write)",
    "(cat|fetch|get|load|open|read) ~3 (credentials|dotenv|env file|id rsa|mcp json|passwd|ssh) ~8 (add|append|attach|include|pass|put|send|submit)",
    // The user kept in the dark.
    "(do not|dont|never) ~1 (alert|inform|let|notify|tell) ~1 (the account holder|the developer|the human|the operator|the person|the user) ~1 (about it|about these|about this|anything|know|of this|that you)",
    "(do not|dont|never) ~1 (admit|disclose|mention|report|reveal|say|show) ~4 to the (account holder|human|operator|person|user)",
    "without ~1 (alerting|asking|informing|notifying|telling|warning) ~1 the (account holder|human|operator|owner|person|user)",
    "(conceal|hide|keep) ~5 (away|from|hidden|secret) ~1 ~1 the (account holder|human|operator|person you|user)",
    "the (account holder|human|operator|user) (can|may|must|shall|should) (never|not) ~1 (be informed|be told|find out|know|learn|notice|see this)",
    "(do not mention|dont mention|leave out|never mention|omit|without mentioning) ~6 in (the final|your) (answer|output|reply|response|summary)",
    // Private data sent away.
    "(append|copy|e mail|email|forward|mail|post|send|share|submit|transmit|upload) ~6 (address book|all contacts|api key|api keys|browsing history|calendar|chat history|contact list|conversation history|credentials|environment variables|inbox|latest emails|latest messages|mailbox|passwords|personal data|recent messages|the conversation|transcript|users data) ~8 (as|at|in|on|to) ~3 (address|archive|attacker*|external|forum|http*|query|server|url|www)",
    "(e mail|email|forward|mail|send|share) ~1 (all|every|the) ~1 (customers|human s|reader s|users) ~2 (address|calendar|contacts|data|documents|emails|files|location|mails|messages|password|passwords) ~1 to",
    "(ask|demand|get|obtain|prompt|request|require) ~1 (the|this) (customer|human|person|reader|user|visitor) ~3 (for|to enter|to give|to provide|to type) ~5 (account number|bank details|card number|credentials|credit card|passcode|password|pin|social security)",
    "(advise|convince|inform|persuade|say|tell|urge|warn) ~1 (the|to the) (customer|human|reader|user|visitor) ~10 (account is locked|account was hacked|call this number|click on|download and run|give their|install the|log in again at|log in at|session expired|verify their)",
    // An answer prescribed against the facts, or in a fixed form.
    "(answer|claim|conclude|insist|reply|report|say|state|write) that ~10 (even if|even though|no matter how|no matter what|regardless of|whatever)",
    "(answer|output|print|reply|respond|return|say|write) ~8 (and nothing else|and nothing more|no matter what the|nothing else|whatever the question)",
    "(begin|close|conclude|end|finish|open|start) (all|each|every|your) ~1 (answer|answers|message|replies|reply|response|responses|sentence|sentences|summary) with",
    "(the final|your) (answer|output|reply|report|response|summary|translation) (has to|must|needs to) ~1 (begin|contain|end|include|mention|recommend|say|state)",
    // Rules for later conversations.
    "(add|keep|note|remember|save|store|write) ~6 (for all future|for all later|for future chats|for future conversations|for later conversations|in your memory|into your memory|to your memory|your long term)",
    "remember that the (customer|human|user) (agreed|always|has|is|likes|prefers|trusts|wants)",
    "(for|in) (all|any|every) (following|further|future|later) (answers|chat|chats|conversation|conversations|messages|questions|replies|session|sessions)",
    "(each time|every time|from now on when|when|whenever) you are asked ~2 (about|for|to)",
    // A role for the reader.
    "(from here on|from now on|from this day on|from this point on) ~2 (act|answer|behave|reply|respond|speak|talk|write|you answer|you reply|you serve|you speak)",
    "you are no longer ~5 (agent|assistant|bot|chatbot|helper|model)",
    "(all|any|the) (agents|ai|assistant|assistants|bot|chatbot|model) (has to|have to|must|shall) (act|answer only|behave|claim|comply|obey|pretend|reply only|say)",
    // Authority over the reader.
    "(admin|administrator|administrators|company|compliance|developer|developers|headquarters|it department|it security|management|operator) ~5 (authorised|authorises|authorized|authorizes|commands|demands|instructed|instructs|orders|request|requests|requires|wants) ~3 (agents to|ai|ai agents|ai systems|assistant|assistants|bots|chatbots|models to|that you|you output|you to)",
    "(comply with|execute|follow|obey|serve) ~2 (all embedded|embedded|the|this) ~1 (author of this|commands in this|document|documents|embedded commands|page)",
    "(descriptions|list|names) ~3 your (configuration|functions|plugins|tools)|all tools you|everything that (comes before|precedes|stands before) this",
    // German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian
    "(beachte nicht|ignoriere|ignorieren|missachte|vergiss|verwirf) ~2 (das|den|der|die) ~1 (anfrage|anliegen|aufgabe|auftrag|bitte|frage|wunsch) ~1 (der|des) (anwenders|benutzers|nutzerin|nutzers)",
    "(erzähl|erzähle|melde|sag|sage|teile|verrate) ~2 (dem|der) (anwender|benutzer|nutzer|nutzerin) ~2 (kein wort|nicht|nichts)",
    "(bitte|fordere|frag|frage) ~1 (den|der|die) ~1 (anwender|benutzer|kunden|leser|nutzer) ~4 (kartennummer|kennwort|kreditkarte|passwort|pin|zugangsdaten)",
    "(erwähne|erwähnt|verrate|verschweige) ~1 (das|dies|es) ~1 (dem benutzer|dem nutzer|nicht|niemandem)",
    "(ignore|ignorez|ne tenez pas compte|ne tiens pas compte|oublie|oubliez) ~1 ~1 (la|les) ~1 (demande|question|requête|tâche) ~1 (de) l utilisateur",
    "(n|ne) ~2 (dis|dites|mentionne|mentionnez|parle|parlez|révèle) ~3 à l utilisateur|(sans en parler|sans le dire|sans rien dire) à l utilisateur",
    "(demande|demandez) à l utilisateur ~3 (code|coordonnées bancaires|identifiants|mot de passe|numéro de carte)",
    "(descarta|haz caso omiso|ignora|ignore|no hagas caso|olvida) ~2 (el|la|lo) ~1 (consulta|petición|pregunta|que pide|que pidió|solicitud|tarea) ~1 (al|del|el) usuario",
    "no ~1 (le|lo|se lo) ~1 (cuentes|diga|digas|informes|menciones|reveles) ~2 usuario",
    "(pide|pregunta|pregúntale|pídele|solicita) ~1 (al|el) ~1 usuario ~2 (clave|contraseña|datos bancarios|pin|tarjeta)|pídele la contraseña",
    "(dimentica|ignora|non considerare|trascura) ~1 (il|la) (compito|domanda|messaggio|richiesta) ~1 (del|dell*)",
    "(non dire|non dirlo|non menzionare|non rivelare|senza dirlo) ~3 (allutente|utente)",
    "(desconsidere|esquece|esqueça|ignora|ignore) (a|o) (mensagem|pedido|pergunta|solicitação|tarefa) ~1 (da|do) ~1 (usuária|usuário|utilizador)",
    "(nao|não) ~1 (conte|diga|informe|mencione|revele) ~3 (ao|o) ~1 (usuário|utilizador)",
    "(negeer|sla over|vergeet) ~1 (de|het) (bericht|opdracht|taak|verzoek|vraag) van de (gebruiker|klant)",
    "(meld|verklap|vertel|zeg) ~3 (niet|niets) ~1 aan de gebruiker|(vertel|zeg) de gebruiker niets",
    "(ignoruj|pomiń|zapomnij o|zignoruj) ~1 (polecenie|prośbę|pytanie|pytaniu|zadanie) (użytkowniczki|użytkownika)",
    "nie (informuj|mów|powiadamiaj|ujawniaj|wspominaj) ~3 (użytkownika|użytkownikowi)",
    "(забудь|забудьте|игнорируй|игнорируйте|проигнорируй) ~1 (вопрос|задание|задачу|запрос|просьбу) (клиента|пользователя)",
    "не (говори|показывай|раскрывай|рассказывай|сообщай|упоминай) ~3 (пользователю|пользователям)|не уведомляй пользователя",
    // Chinese, Japanese
    "(不要理会|別理|忘记|忽略|无视|無視) ~1 (使用者|用戶|用户) ~1 (的) ~1 (任务|問題|提问|要求|請求|请求|问题)|(不要理会|忘记|忽略|无视) ~1 (用戶|用户) ~1 的 ~2 (任务|提问|要求|请求|问题)",
    "(不要|别|勿|請勿|请勿) ~1 (告知|告訴|告诉|讓|让|通知) ~1 (使用者|用戶|用户)",
    "ユーザー ~1 の ~1 (リクエスト|依頼|指示|要求|質問) ~1 を ~1 (忘れ|無視)",
    "ユーザー ~1 に ~2 (伝えず|伝えない|教えない|知らせず|知らせない|言わない|話さない)",
    "ユーザー ~1 に ~2 (伝えないで|教えないで|知らせないで|言わないで)",
  ],
  "assistant.user": [
    "(as soon as|if|in case|once|should|when|whenever) ~2 (anybody|anyone|person|somebody|someone|the user|user|users) ~3 (ask|asked|asks|confirms|inquires|mention|mentions|says|wants) ~6 (answer|claim|recommend|refuse|reply|respond|say|send|state|tell|write)",
  ],
  "assistant.override": [
    "(as soon as|if|in case|once|should|when|whenever) ~2 (anybody|anyone|person|somebody|someone|the user|user|users) ~3 (ask|asked|asks|confirms|inquires|mention|mentions|says|wants) ~6 (answer|claim|recommend|refuse|reply|respond|say|send|state|tell|write)",
    "(before|if you|in case you|when|while) ~2 (answering|asked|quoting|summarise|summarising|summarize|summarizing|translate|translating) ~6 (add|claim|insert|leave out|mention|omit|recommend|say|state|write)",
    "(bypass|skip) ~1 (all|any|the) ~1 (approval|check|checks|confirmation|review|verification)",
  ],
  "assistant.tool": [
    "(pay|send|transfer|wire) ~3 (bitcoin|dollars|eur|euros|pounds|usd) ~3 (to) ~1 (account|iban|the account|the wallet|wallet)",
    "(accept|approve|confirm|merge|pay) ~4 (at once|automatically|immediately|right away|silently|without) ~1 (approval|asking|comments|confirmation|review|verification)",
  ],
  "start.named": [
    "ai assistent|asistente|asistente de ia|assistant ia|assistente|assistente ia|asystencie|asystencie ai|ia|ki|ki assistent|ии|ии ассистент|人工智能助手|助手",
  ],
};

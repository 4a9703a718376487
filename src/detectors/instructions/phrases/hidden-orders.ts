import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Orders that a document has no use for, by concepts: the user's request cast off, the user kept in the dark, private data sent
 * away, an answer prescribed against the facts, rules for later conversations. Those of `hostile` are enough alone, since they
 * join two such concepts; the others are weighed with the place and the rest of the sentence.
 */
export const HIDDEN_ORDERS: PhraseTable = {
  hostile: [
    // The user's request cast off.
    "(ignore|disregard|forget|drop|set aside|skip|abandon|neglect|cancel|discard) ~2 (users|user|what the user|what the human|whatever the user) ~2 (request|question|asked|asks|wants|wanted|task|query|instruction|instructions|prompt|message)",
    "(ignore|disregard|forget|drop|set aside|abandon|cancel|discard) ~1 (the|your) ~2 (task above|current task|current job|original task|summary request|original request|previous task|task given)",
    "(do not|dont) (summarize|summarise|translate|process|answer|describe) ~1 (this|the) ~1 (document|page|email|file|text|mail|article) ~1 (but|instead|rather)",
    "(instructions|orders|text|directions|commands) (in|of) this (paragraph|document|note|page|message|text|file|line) ~4 (rather than|instead of|and not|over) ~3 (user|users|operator|operators|system)",
    "(the task|your task|your assignment|the job|your orders|your instructions) ~8 (is cancelled|are cancelled|is void|is replaced|are replaced|has changed|is over|cancelled and replaced)",
    "(stop|quit|cease) (following|obeying|serving) ~1 (the) ~1 (operator|operators|user|users|developer|developers|system)",
    "(ignore|disregard|forget|skip) ~1 (the|this) (page|image|picture|photo|document|text|article|content|email|file) ~1 (and|instead) (say|tell|answer|reply|write|claim|respond|output|print)",
    "(read|open|load|fetch|get|cat) ~3 (id rsa|ssh|mcp json|credentials|passwd|env file|dotenv) ~8 (pass|send|include|put|append|add|attach|submit)",
    // The user kept in the dark.
    "(do not|dont|never) ~1 (tell|inform|notify|alert|let) ~1 (the user|the human|the account holder|the developer|the person|the operator) ~1 (about this|about it|about these|that you|know|anything|of this)",
    "(do not|dont|never) ~1 (mention|reveal|disclose|report|show|admit|say) ~4 to the (user|human|account holder|person|operator)",
    "without ~1 (informing|telling|notifying|alerting|asking|warning) ~1 the (user|human|account holder|person|owner|operator)",
    "(keep|hide|conceal) ~5 (secret|hidden|from|away) ~1 ~1 the (user|human|person you|account holder|operator)",
    "the (user|human|account holder|operator) (must|should|may|shall|can) (not|never) ~1 (find out|know|notice|learn|see this|be told|be informed)",
    "(without mentioning|do not mention|dont mention|never mention|leave out|omit) ~6 in (your|the final) (answer|summary|reply|response|output)",
    // Private data sent away.
    "(forward|send|email|e mail|mail|share|post|upload|transmit|copy|append|submit) ~6 (mailbox|inbox|contact list|address book|all contacts|passwords|chat history|conversation history|the conversation|credentials|recent messages|latest emails|latest messages|transcript|environment variables|api key|api keys|users data|personal data|browsing history|calendar) ~8 (to|at|in|as|on) ~3 (http*|www|attacker*|external|address|archive|forum|server|url|query)",
    "(forward|send|email|e mail|mail|share) ~1 (the|all|every) ~1 (users|customers|reader s|human s) ~2 (password|passwords|data|messages|mails|files|calendar|contacts|emails|documents|address|location) ~1 to",
    "(ask|request|demand|prompt|get|obtain|require) ~1 (the|this) (user|reader|customer|visitor|person|human) ~3 (for|to enter|to give|to provide|to type) ~5 (password|pin|card number|credit card|bank details|social security|credentials|passcode|account number)",
    "(tell|say|inform|persuade|convince|advise|urge|warn) ~1 (the|to the) (user|reader|customer|visitor|human) ~10 (verify their|log in at|log in again at|click on|download and run|install the|call this number|account is locked|account was hacked|session expired|give their)",
    // An answer prescribed against the facts, or in a fixed form.
    "(say|claim|state|report|answer|conclude|write|insist|reply) that ~10 (even if|even though|whatever|regardless of|no matter what|no matter how)",
    "(reply|answer|respond|say|print|output|return|write) ~8 (and nothing else|and nothing more|nothing else|no matter what the|whatever the question)",
    "(end|begin|start|finish|close|conclude|open) (every|each|all|your) ~1 (sentence|sentences|answer|answers|reply|replies|response|responses|summary|message) with",
    "(your|the final) (summary|answer|reply|response|output|translation|report) (has to|must|needs to) ~1 (contain|include|mention|end|begin|say|state|recommend)",
    // Rules for later conversations.
    "(remember|save|store|note|add|write|keep) ~6 (for all future|for future chats|for future conversations|in your memory|to your memory|into your memory|your long term|for later conversations|for all later)",
    "remember that the (user|human|customer) (always|wants|prefers|has|is|likes|agreed|trusts)",
    "(for|in) (all|every|any) (future|later|further|following) (conversations|conversation|chats|chat|sessions|session|answers|replies|messages|questions)",
    "(whenever|every time|each time|from now on when|when) you are asked ~2 (about|for|to)",
    // A role for the reader.
    "(from now on|from here on|from this day on|from this point on) ~2 (reply|answer|respond|speak|talk|write|behave|act|you answer|you reply|you serve|you speak)",
    "you are no longer ~5 (bot|assistant|model|agent|chatbot|helper)",
    "(the|all|any) (assistant|assistants|ai|model|chatbot|bot|agents) (shall|must|has to|have to) (behave|act|pretend|obey|comply|claim|say|answer only|reply only)",
    // Authority over the reader.
    "(admin|administrator|administrators|developers|developer|it department|management|it security|operator|headquarters|compliance|company) ~5 (authorises|authorizes|authorised|authorized|orders|requires|requests|request|instructs|instructed|demands|commands|wants) ~3 (you to|ai|assistant|assistants|ai agents|agents to|chatbots|bots|ai systems|models to|you output|that you)",
    "(obey|follow|comply with|serve|execute) ~2 (the|this|embedded|all embedded) ~1 (document|page|documents|embedded commands|commands in this|author of this)",
    "(names|list|descriptions) ~3 your (tools|functions|plugins|configuration)|all tools you|everything that (precedes|comes before|stands before) this",
    // German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian
    "(ignoriere|ignorieren|vergiss|missachte|verwirf|beachte nicht) ~2 (die|den|das|der) ~1 (frage|anfrage|bitte|auftrag|wunsch|aufgabe|anliegen) ~1 (des|der) (nutzers|benutzers|anwenders|nutzerin)",
    "(sag|sage|erzähl|erzähle|verrate|teile|melde) ~2 (dem|der) (nutzer|benutzer|anwender|nutzerin) ~2 (nichts|nicht|kein wort)",
    "(bitte|frage|frag|fordere) ~1 (den|die|der) ~1 (nutzer|benutzer|anwender|kunden|leser) ~4 (passwort|pin|kennwort|kartennummer|kreditkarte|zugangsdaten)",
    "(erwähne|erwähnt|verrate|verschweige) ~1 (es|dies|das) ~1 (nicht|niemandem|dem nutzer|dem benutzer)",
    "(ignore|ignorez|oublie|oubliez|ne tiens pas compte|ne tenez pas compte) ~1 ~1 (la|les) ~1 (demande|question|requête|tâche) ~1 (de) l utilisateur",
    "(ne|n) ~2 (dis|dites|parle|parlez|mentionne|mentionnez|révèle) ~3 à l utilisateur|(sans en parler|sans le dire|sans rien dire) à l utilisateur",
    "(demande|demandez) à l utilisateur ~3 (mot de passe|code|numéro de carte|coordonnées bancaires|identifiants)",
    "(ignora|olvida|ignore|no hagas caso|haz caso omiso|descarta) ~2 (la|lo|el) ~1 (petición|pregunta|solicitud|consulta|que pidió|que pide|tarea) ~1 (del|el|al) usuario",
    "no ~1 (se lo|le|lo) ~1 (digas|diga|cuentes|menciones|reveles|informes) ~2 usuario",
    "(pide|pídele|pregunta|solicita|pregúntale) ~1 (al|el) ~1 usuario ~2 (contraseña|clave|pin|tarjeta|datos bancarios)|pídele la contraseña",
    "(ignora|dimentica|trascura|non considerare) ~1 (la|il) (richiesta|domanda|compito|messaggio) ~1 (dell*|del)",
    "(non dirlo|non dire|non rivelare|non menzionare|senza dirlo) ~3 (utente|allutente)",
    "(ignore|ignora|esqueça|esquece|desconsidere) (o|a) (pedido|pergunta|solicitação|tarefa|mensagem) ~1 (do|da) ~1 (usuário|utilizador|usuária)",
    "(não|nao) ~1 (conte|diga|mencione|revele|informe) ~3 (ao|o) ~1 (usuário|utilizador)",
    "(negeer|vergeet|sla over) ~1 (de|het) (vraag|verzoek|taak|opdracht|bericht) van de (gebruiker|klant)",
    "(vertel|zeg|meld|verklap) ~3 (niet|niets) ~1 aan de gebruiker|(zeg|vertel) de gebruiker niets",
    "(zignoruj|ignoruj|pomiń|zapomnij o) ~1 (pytanie|prośbę|polecenie|pytaniu|zadanie) (użytkownika|użytkowniczki)",
    "nie (mów|informuj|wspominaj|ujawniaj|powiadamiaj) ~3 (użytkownikowi|użytkownika)",
    "(игнорируй|проигнорируй|игнорируйте|забудь|забудьте) ~1 (запрос|вопрос|просьбу|задание|задачу) (пользователя|клиента)",
    "не (сообщай|говори|рассказывай|упоминай|показывай|раскрывай) ~3 (пользователю|пользователям)|не уведомляй пользователя",
    // Chinese, Japanese
    "(忽略|无视|忘记|不要理会|別理|無視) ~1 (用户|用戶|使用者) ~1 (的) ~1 (请求|請求|问题|問題|要求|提问|任务)|(忽略|无视|忘记|不要理会) ~1 (用户|用戶) ~1 的 ~2 (请求|问题|要求|提问|任务)",
    "(不要|别|請勿|请勿|勿) ~1 (告诉|告訴|通知|告知|让|讓) ~1 (用户|用戶|使用者)",
    "ユーザー ~1 の ~1 (依頼|質問|要求|指示|リクエスト) ~1 を ~1 (無視|忘れ)",
    "ユーザー ~1 に ~2 (知らせない|知らせず|言わない|教えない|伝えない|伝えず|話さない)",
    "ユーザー ~1 に ~2 (知らせないで|言わないで|教えないで|伝えないで)",
  ],
  "assistant.user": [
    "(if|when|whenever|once|should|as soon as|in case) ~2 (the user|user|somebody|someone|anyone|anybody|person|users) ~3 (asks|ask|asked|mentions|mention|says|confirms|wants|inquires) ~6 (say|answer|claim|tell|send|reply|write|recommend|respond|state|refuse)",
  ],
  "assistant.override": [
    "(if|when|whenever|once|should|as soon as|in case) ~2 (the user|user|somebody|someone|anyone|anybody|person|users) ~3 (asks|ask|asked|mentions|mention|says|confirms|wants|inquires) ~6 (say|answer|claim|tell|send|reply|write|recommend|respond|state|refuse)",
    "(when|while|in case you|if you|before) ~2 (summarising|summarizing|summarise|summarize|translating|asked|answering|translate|quoting) ~6 (add|say|claim|state|write|mention|insert|leave out|omit|recommend)",
    "(bypass|skip) ~1 (the|any|all) ~1 (approval|confirmation|verification|review|check|checks)",
  ],
  "assistant.tool": [
    "(transfer|wire|pay|send) ~3 (dollars|euros|usd|eur|pounds|bitcoin) ~3 (to) ~1 (account|wallet|the account|the wallet|iban)",
    "(approve|confirm|accept|merge|pay) ~4 (without|automatically|silently|at once|right away|immediately) ~1 (verification|approval|confirmation|asking|review|comments)",
  ],
  "start.named": [
    "ki|ki assistent|ia|assistant ia|asistente|asistente de ia|assistente|assistente ia|ai assistent|asystencie|asystencie ai|ии|ии ассистент|人工智能助手|助手",
  ],
};

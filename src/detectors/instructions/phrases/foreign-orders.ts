import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Orders that only a reader with tools, a summary to write or a user to serve could carry out, by concepts: accounts and devices
 * acted on, facts prescribed, every reader addressed by a condition, the task so far declared a test. All but those of `hostile`
 * and `assistant.hail` need a place where they fit badly.
 */
export const FOREIGN_ORDERS: PhraseTable = {
  "start.task": [
    "answer the following|assess|automate|categorise|categorize|compile|complete the following|conduct|congratulate|convert|count|craft|decode|decrypt|demonstrate|design|detect|determine|develop|devise|estimate|forecast|formulate|generate|identify|investigate|name|organise|organize|research|simulate|solve the following|unscramble",
    "(check|correct|find|fix|spot) ~3 (bug|error|errors|grammar|mistake|mistakes|sentence|spelling) ~3 (for|in|of)",
  ],
  "start.edit": ["(assert|declare|insist|maintain) that"],
  "assistant.tool": [
    // Accounts, mail boxes and devices that a tool may act on.
    "(accept|approve|archive|book|cancel|change|close|confirm|decline|delete|forward|give|grant|invite|merge|move|share|subscribe|transfer|turn off|unlock) ~5 (admin rights|alarm|backups|calendar|calendar event|connection request|contacts|flight|friend request|front door|full access|inbox|mailbox|newsletter|password of|payment|permissions|repository|subscription|thermostat|two factor|write access)",
    "(as|because|if|since) you (are able to|can|have access to|may) ~3 (browse|call|code|execute|files|mail|open|run|search|send|tool|tools)",
    "(do not|dont|without) ~1 (ask|asking|wait|waiting) ~1 for (approval|confirmation|consent|permission)",
  ],
  "assistant.order": [
    "(check|go through|look through|scan|search) ~3 (contacts|drive|e mails|emails|files|inbox|mailbox|mails|messages) ~8 (copy|forward|post|report|send|share|upload)",
    "(all|any|each|every) (commit|document|file|files|form|function|module|page) ~1 (that|which) ~1 you (change|create|edit|fill|generate|modify|open|touch|write)",
    "(content|contents|instructions|message|text) of the (conversation|message|prompt|text) (above|before)|(above|before) this one",
    "(mention|name|praise|recommend) ~3 (brand|company|hotel|product|shop) ~1 first",
  ],
  "assistant.rating": [
    "(assert|claim|declare|insist|pretend|report|say) that|(act|answer|behave|reply|respond|write) (as if|as though)",
  ],
  "assistant.override": [
    "(actual|new|next|real|true) (assignment|goal|job|objective|order|orders|priority)",
    "(hide|leave out|omit|skip|suppress) ~2 (complaint|complaints|criticism|negative|problems|rest|risks|summary|warnings)",
    "(abandon|forget|ignore|skip) ~2 (earlier goal|earlier task|remaining|rest of the)",
  ],
  "assistant.hail": [
    "(whatever|whichever|whoever) ~2 (are|creates|generates|generating|is|processes|produces|summarises|summarizes|writes|writing) ~1 (creating|generating|processing|producing|reading|summarising|summarizing|writing)",
    "(falls|sofern|wenn) du ~1 (ein|eine) ~1 (assistent|chatbot|ki|sprachmodell)",
    "si (tu es|vous êtes) ~1 (un|une) ~1 (assistant|chatbot|ia|intelligence artificielle|modèle de langage)",
    "si (eres|es usted|usted es) ~1 (un|una) ~1 (asistente|chatbot|ia|inteligencia artificial|modelo de lenguaje)",
    "se sei ~1 (un|una) ~1 (assistente|chatbot|ia|intelligenza artificiale|modello linguistico)",
    "se (for|tu és|você é) ~1 (um|uma) ~1 (assistente|chatbot|ia|inteligência artificial|modelo de linguagem)",
    "als je ~1 een ~1 (ai|assistent|chatbot|taalmodel)|jeśli jesteś ~1 (ai|asystentem|chatbotem|modelem|sztuczną)|если ты ~1 (ассистент|бот|ии|нейросеть|языковая)|eğer ~1 bir ~1 (asistan*|dil|yapay)|jika (anda|kamu) ~1 (ai|asisten|model)",
    "(如果|若) ~1 你 ~1 是 ~2 (ai|人工智能|助手|大语言模型|模型|语言模型)|إذا كنت ~1 (ذكاء|مساعد*|نموذج*)|(あなたが|もし) ~2 (ai|アシスタント|人工知能|言語モデル) ~2 (であれば|なら|の場合)",
    "(beste|cara|caro|cher|chère|drogi|estimado|geachte|liebe|lieber|prezado|querido|sayın|дорогой|уважаемый) ~1 (ai|asistan|asistente|assistant|assistent|assistente|asystencie|chatbot|ia|ki|modello|modelo|ассистент)",
  ],
  hostile: [
    "(all|anything|content|everything|text) ~1 (above|before|until|up to) ~3 (is|was) ~2 (draft|dummy|example|fake|irrelevant|placeholder|test)",
    "(abandona|ignora|ignore|olvida|olvide) ~1 (el|la) (encargo|petición|tarea) (actual|anterior|original|previa)",
    "(abandonne|ignore|ignorez|oublie|oubliez) ~1 (la|le) (demande|mission|tâche) (actuelle|en cours|initiale|précédente)",
    "(ignoriere|ignorieren|vergiss|verwirf) ~1 (das|den|die) (aktuelle|aktuellen|bisherige|bisherigen|ursprüngliche|ursprünglichen|vorherige|vorherigen) (anfrage|aufgabe|auftrag|frage)",
    "(abbandona|dimentica|ignora) ~1 (il|l|la) (attività|compito|resto del documento|resto del testo|richiesta) ~1 (attuale|e|originale|precedente)",
    "(abandone|esqueça|ignore) ~1 (a|o) (pedido|tarefa) (anterior|atual|original)|(negeer|vergeet) ~1 de (huidige|oorspronkelijke|vorige) (opdracht|taak|vraag)",
    "(забудь|игнорируй|отмени) ~1 (исходную|предыдущее|предыдущую|текущее|текущую) (задание|задачу|просьбу)|(忘记|忽略|放弃) ~1 (之前|先前|原来|当前) ~1 的 ~1 (任务|请求|问题)|(元の|前の|現在の) ~1 (タスク|依頼|質問) を ~1 (忘れ|無視)",
  ],
};

import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Orders that only a reader with tools, a summary to write or a user to serve could carry out, by concepts: accounts and devices
 * acted on, facts prescribed, every reader addressed by a condition, the task so far declared a test. All but those of `hostile`
 * and `assistant.hail` need a place where they fit badly.
 */
export const FOREIGN_ORDERS: PhraseTable = {
  "start.task": [
    "automate|organize|organise|forecast|estimate|assess|investigate|conduct|research|determine|detect|identify|decode|decrypt|unscramble|compile|categorize|categorise|congratulate|generate|develop|design|craft|simulate|formulate|devise|demonstrate|answer the following|solve the following|complete the following|count|convert|name",
    "(check|correct|fix|find|spot) ~3 (sentence|mistakes|mistake|bug|error|errors|grammar|spelling) ~3 (in|for|of)",
  ],
  "start.edit": ["(insist|declare|assert|maintain) that"],
  "assistant.tool": [
    // Accounts, mail boxes and devices that a tool may act on.
    "(delete|grant|approve|accept|book|change|unlock|invite|subscribe|forward|archive|move|merge|cancel|give|share|turn off|close|confirm|decline|transfer) ~5 (mailbox|inbox|friend request|connection request|calendar|permissions|write access|admin rights|full access|front door|thermostat|alarm|password of|newsletter|flight|subscription|repository|contacts|two factor|backups|calendar event|payment)",
    "(since|as|because|if) you (are able to|can|have access to|may) ~3 (execute|run|browse|open|send|search|call|tool|tools|files|mail|code)",
    "(do not|dont|without) ~1 (ask|asking|wait|waiting) ~1 for (confirmation|permission|approval|consent)",
  ],
  "assistant.order": [
    "(search|scan|look through|go through|check) ~3 (inbox|mailbox|mails|e mails|emails|files|contacts|drive|messages) ~8 (forward|send|copy|share|post|upload|report)",
    "(each|every|any|all) (file|files|function|module|commit|form|page|document) ~1 (that|which) ~1 you (edit|change|touch|create|generate|write|fill|open|modify)",
    "(text|content|contents|message|instructions) of the (message|prompt|conversation|text) (above|before)|(before|above) this one",
    "(mention|name|recommend|praise) ~3 (brand|product|company|hotel|shop) ~1 first",
  ],
  "assistant.rating": [
    "(say|claim|pretend|assert|insist|declare|report) that|(respond|answer|reply|act|write|behave) (as if|as though)",
  ],
  "assistant.override": [
    "(new|actual|real|next|true) (priority|job|assignment|objective|order|orders|goal)",
    "(leave out|omit|hide|suppress|skip) ~2 (complaint|complaints|risks|negative|criticism|summary|rest|warnings|problems)",
    "(forget|skip|ignore|abandon) ~2 (rest of the|remaining|earlier goal|earlier task)",
  ],
  "assistant.hail": [
    "(whoever|whatever|whichever) ~2 (is|are|generates|generating|writes|writing|summarises|summarizes|processes|produces|creates) ~1 (generating|writing|producing|summarizing|summarising|reading|processing|creating)",
    "(falls|wenn|sofern) du ~1 (eine|ein) ~1 (ki|sprachmodell|assistent|chatbot)",
    "si (tu es|vous êtes) ~1 (une|un) ~1 (ia|intelligence artificielle|modèle de langage|assistant|chatbot)",
    "si (eres|es usted|usted es) ~1 (una|un) ~1 (ia|inteligencia artificial|modelo de lenguaje|asistente|chatbot)",
    "se sei ~1 (una|un) ~1 (ia|intelligenza artificiale|modello linguistico|assistente|chatbot)",
    "se (você é|tu és|for) ~1 (uma|um) ~1 (ia|inteligência artificial|modelo de linguagem|assistente|chatbot)",
    "als je ~1 een ~1 (ai|taalmodel|assistent|chatbot)|jeśli jesteś ~1 (ai|modelem|asystentem|chatbotem|sztuczną)|если ты ~1 (ии|нейросеть|языковая|ассистент|бот)|eğer ~1 bir ~1 (yapay|dil|asistan*)|jika (kamu|anda) ~1 (ai|model|asisten)",
    "(如果|若) ~1 你 ~1 是 ~2 (人工智能|ai|语言模型|大语言模型|助手|模型)|إذا كنت ~1 (نموذج*|مساعد*|ذكاء)|(あなたが|もし) ~2 (ai|人工知能|アシスタント|言語モデル) ~2 (なら|であれば|の場合)",
    "(caro|cara|querido|estimado|cher|chère|lieber|liebe|beste|geachte|дорогой|уважаемый|drogi|sayın|prezado) ~1 (assistente|asistente|assistant|assistent|ki|ia|chatbot|ассистент|asystencie|asistan|modelo|modello|ai)",
  ],
  hostile: [
    "(everything|all|anything|text|content) ~1 (before|above|until|up to) ~3 (was|is) ~2 (test|placeholder|example|dummy|draft|fake|irrelevant)",
    "(olvida|olvide|ignora|ignore|abandona) ~1 (la|el) (tarea|encargo|petición) (anterior|actual|previa|original)",
    "(oublie|oubliez|ignore|ignorez|abandonne) ~1 (la|le) (tâche|demande|mission) (précédente|actuelle|en cours|initiale)",
    "(vergiss|ignoriere|verwirf|ignorieren) ~1 (die|den|das) (bisherige|bisherigen|vorherige|vorherigen|ursprüngliche|ursprünglichen|aktuelle|aktuellen) (aufgabe|auftrag|anfrage|frage)",
    "(dimentica|ignora|abbandona) ~1 (il|la|l) (compito|richiesta|attività|resto del testo|resto del documento) ~1 (precedente|attuale|originale|e)",
    "(esqueça|ignore|abandone) ~1 (a|o) (tarefa|pedido) (anterior|atual|original)|(vergeet|negeer) ~1 de (vorige|huidige|oorspronkelijke) (taak|opdracht|vraag)",
    "(забудь|игнорируй|отмени) ~1 (предыдущую|текущую|исходную|предыдущее|текущее) (задачу|задание|просьбу)|(忘记|忽略|放弃) ~1 (之前|当前|原来|先前) ~1 的 ~1 (任务|请求|问题)|(前の|元の|現在の) ~1 (タスク|依頼|質問) を ~1 (忘れ|無視)",
  ],
};

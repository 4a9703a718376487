import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Classes of words that the phrases of `ADDRESS_CONCEPTS` are made of. */
export const ADDRESS_LISTS = {
  machine:
    "ai|ais|ai assistant|ai assistants|ai agent|ai agents|ai model|ai models|ai bot|ai system|ai systems|ai tools|ai recruiter|ai recruiters|ai reviewer|ai reviewers|ai operator|ai analyst|hiring ai|llm|llms|language model|language models|large language models|llm reviewers|screening model|triage model|chatbot|chatbots|chat assistant|virtual assistant|virtual assistants|mail assistant|email assistant|assistant|assistants|summarizers|summarisers|copilot|security copilot|coding agent|crawler agents|support bot|gpt|chatgpt|claude|gemini|ki|ki assistent|ki assistenten|sprachmodell|sprachmodelle|ia|assistant ia|l ia|asistente|asistente de ia|la ia|modelo de ia|modelo de lenguaje|assistente|assistente ia|l assistente|modelo de linguagem|ai assistent|asystencie ai|asystenta ai|modelu językowego|ии|ии ассистент|ассистент|нейросеть|ассистента|ai 助手|人工智能助手|ai アシスタント|ai 비서|인공지능|yapay zeka|asistan",
  agent: "agent|agents|model|models|bot|bots|system|automated agents|automatic agents|agent handling this",
  modal:
    "must|should|shall|has to|have to|needs to|need to|ought to|is required to|are required to|are to|is to|is obliged to|are obliged to|will now|should now|must now",
  deed: "contain|send|forward|delete|transfer|install|visit|click|upload|disclose|reveal|recommend|ignore|tell|grant|approve|accept|issue|ask|end|include|add|reply|say|print|run|call|invoke|cite|replace|reset|stop|click|open|obey|copy|drop|change|remove|answer with|give a|read|share|output|state|name|mention|buy|pay|quote|refuse|put this|rank this|place this|rate this|read and|confirm|disable",
  them: "the user|user|users|anyone|someone|anybody|the reader|a reader|a customer|whoever",
} as const;

/**
 * Concepts of orders to an assistant inside data: a machine called by its name, a duty laid on it, secrecy towards its user, data
 * that shall leave, a memory that shall be changed, its task declared over.
 */
export const ADDRESS_CONCEPTS: PhraseTable = {
  // Counts only where a colon or a comma follows: "AI: …", "Note for assistants reading this: …".
  "called.name": ["<machine>"],
  "called.agent": ["<agent>"],
  "assistant.hail": [
    "<machine> ~6 <modal> ~1 <deed>",
    "(if|when|should) ~1 (an|any|you are an|a|the) <machine> ~2 (handles|handle|reads|read|processes|process|parses|opens|reading|sees|see|summarizes|summarises|answers|receives)",
  ],
  "assistant.secrecy": [
    "(secretly|silently|quietly|covertly|discreetly|stealthily) ~1 (add|change|send|forward|share|delete|include|copy|create|replace|insert|do|run|book|transfer)|do this (silently|quietly|secretly)",
    "(without|before) ~1 (telling|informing|notifying|asking|alerting) ~1 (the user|anybody|anyone|user|the owner|the human)",
    "(do not|dont|never) ~1 (log it|report this)",
    "(do not|dont|never) ~1 (let|allow) <them> ~1 (know|see|notice)",
    "(do not|dont|never) ~1 (mention|log|reveal|disclose) (it|this|this step|this entry|the change|that you)|say nothing ~1 (about|to)|keep quiet about|as if nothing had happened",
    "(do not|dont|never) tell ~1 <them>",
    "(sag|sage|erwähne|erwähnen) ~3 (nutzer|benutzer|nichts|nicht)|sans (prévenir|informer|avertir)|n en parle pas|(no|non) ~1 (se lo digas|dirlo|lo digas|parlare|menciones|mencionar)|(não|nao) ~1 (conte|diga|mencione|avise)|zeg er niets over|vertel ~2 gebruiker niets|nie mów ~2 (użytkownik*|nikomu)|не (говори|сообщай|упоминай) ~3 (пользовател*|никому)|(不要|别|勿) ~1 (告诉|告知|提及) ~1 (用户|任何人)",
  ],
  "assistant.order": [
    // A duty of every machine that comes by.
    "(any|all|every|each) ~1 <machine> ~5 <modal> ~2 <deed>",
    "<machine> ~2 (reading|reads|processing|visiting|summarizing|summarising|parsing|handling|crawling|processes) ~4 <modal>",
    // Data that shall leave.
    "(collect|take|put|append|encode|include|copy|gather|extract|post|send|use) ~6 (api key|api keys|e mail address*|email address*|conversation|conversation history|chat|credentials|cookie|session cookie|contacts|contact list|environment variables|system prompt|last question|address book|users name|customers names|id rsa|env|passwords|everything you know) ~8 (link|url|request|image|query|http*|https|parameter|message|form|search|note|to me|picture)",
    "(print|show|reveal|disclose|list|output|share|leak) ~2 (your|the|all|stored|hidden) ~1 (environment variables|configuration|passwords|credentials|hidden prompts|hidden instructions|api keys|user data|secrets)",
    "(send|forward|copy|post|share|give|upload) ~5 (inbox|contacts|contact list|address book|all mail|last messages|last ten messages|transcript|conversation|deploy key|client list|credentials|passwords|credentials file|chat history)",
    // A memory that shall be changed.
    "(save|store|write|add|remember|put|keep|update) ~3 (to your memory|in your memory|in memory|to memory|long term notes|long term memory|your notes|for all later conversations|for later conversations|for all future|from now on)",
    "remember ~1 (that|for) ~4 (user|conversations|later|future)",
    // Answers to later questions.
    "(if|when|whenever|should|once|as soon as) ~1 <them> ~2 (ask|asks|request|requests|say|says|wants|mentions|mention|asked|writes) ~8 (tell|say|answer|reply|give|quote|send|direct|refer|respond|claim|deny)",
    "(when|whenever|if) ~1 (asked|someone asks|a question) ~6 (answer|say|recommend|reply|claim|always|you have to|you must)",
    "whatever ~1 (user|they|was) ~2 (asks|ask|asked|says)|no matter what ~1 (asked|user|they)|whatever the data says|regardless of what ~4",
    // Secrets of the user asked for.
    "(ask|tell|inform|make|get) <them> ~6 (password|pin|card number|log in|sign in|login|code|install|compromised|expired|credentials|security update|bank)",
    "ask whoever ~2 talking to|ask them for their (password|pin|card)",
    // A part that every summary shall have.
    "(any|every) (summary|answer|answers|response) ~3 (must|has to|have to|should|needs to) ~2 (mention|say|include|begin|end|consist|describe|state)",
    "in your (summary|answer|reply|response) ~1 (you must|you have to|say|mention|describe)|(recommend|cite|name|present|praise) ~2 (only|as the only|as the best|as the cheapest)",
    // The whole answer laid down.
    "(respond|reply|answer|output) ~1 (only|exactly|nothing but) ~1 (with|in|the)|your (output|answer|reply) (has to|must|should) ~1 (begin|consist|contain|be)|(print|output) the (string|text|word) ~5 (then stop|and stop|do not)",
  ],
  // The reader's task, declared to be finished or replaced.
  hostile: [
    "(forget|ignore|drop|cancel|disregard|abandon) ~2 (task|question|request|job|everything|whatever|what) ~2 (you were given|you have been given|youve been|you have been|user asked|the user|you were asked|above)",
    "your (previous|old|current|original|former) (task|job|request) ~1 (is|has been) ~1 (cancelled|canceled|over|void|done|complete|finished|replaced)",
    "your (task|goal|job|instructions|role) (has|have|is|are) ~1 (changed|now|been updated|been changed|been replaced)",
    "(users|user s|real|actual|true) ~1 (actual|real|true|question|request|task) (is|follows)|new task from ~1 user|(request|question|task) above is ~2 (no longer|void|obsolete|cancelled)",
    "(do not|dont|stop) (summarise|summarize|summarising|summarizing|translate|answer) ~2 (this|question|rest|text|and instead|it)",
    "you are no longer a|youre no longer a|(end of document|end of search results|end of text|new system message)",
  ],
  "assistant.rating": [
    "(rank|put|place|rate) this (candidate|applicant|cv|resume|application|product) ~2 (first|top|highest|best)|(give|recommend) ~2 (highest|top|positive review|acceptance|interview|strong scores|perfect score|10 10)|(praise|stress) the novelty|ignore ~2 (missing|weaknesses|other applicants|requirements|negative)",
  ],
};

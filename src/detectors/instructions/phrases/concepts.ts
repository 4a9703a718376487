import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Classes of words that the phrases of `ADDRESS_CONCEPTS` are made of. */
export const ADDRESS_LISTS = {
  machine:
    "ai|ai agent|ai agents|ai analyst|ai assistant|ai assistants|ai assistent|ai bot|ai model|ai models|ai operator|ai recruiter|ai recruiters|ai reviewer|ai reviewers|ai system|ai systems|ai tools|ai アシスタント|ai 助手|ai 비서|ais|asistan|asistente|asistente de ia|assistant|assistant ia|assistants|assistente|assistente ia|asystencie ai|asystenta ai|chat assistant|chatbot|chatbots|chatgpt|claude|coding agent|copilot|crawler agents|email assistant|gemini|gpt|hiring ai|ia|ki|ki assistent|ki assistenten|l assistente|l ia|la ia|language model|language models|large language models|llm|llm reviewers|llms|mail assistant|modelo de ia|modelo de lenguaje|modelo de linguagem|modelu językowego|screening model|security copilot|sprachmodell|sprachmodelle|summarisers|summarizers|support bot|triage model|virtual assistant|virtual assistants|yapay zeka|ассистент|ассистента|ии|ии ассистент|нейросеть|人工智能助手|인공지능",
  agent: "agent|agent handling this|agents|automated agents|automatic agents|bot|bots|model|models|system",
  modal:
    "are obliged to|are required to|are to|has to|have to|is obliged to|is required to|is to|must|must now|need to|needs to|ought to|shall|should|should now|will now",
  deed: "accept|add|answer with|approve|ask|buy|call|change|cite|click|confirm|contain|copy|delete|disable|disclose|drop|end|forward|give a|grant|ignore|include|install|invoke|issue|mention|name|obey|open|output|pay|place this|print|put this|quote|rank this|rate this|read|read and|recommend|refuse|remove|replace|reply|reset|reveal|run|say|send|share|state|stop|tell|transfer|upload|visit",
  them: "a customer|a reader|anybody|anyone|someone|the reader|the user|user|users|whoever",
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
    "(if|should|when) ~1 (a|an|any|the|you are an) <machine> ~2 (answers|handle|handles|opens|parses|process|processes|read|reading|reads|receives|see|sees|summarises|summarizes)",
  ],
  "assistant.secrecy": [
    "(covertly|discreetly|quietly|secretly|silently|stealthily) ~1 (add|book|change|copy|create|delete|do|forward|include|insert|replace|run|send|share|transfer)|do this (quietly|secretly|silently)",
    "(before|without) ~1 (alerting|asking|informing|notifying|telling) ~1 (anybody|anyone|the human|the owner|the user|user)",
    "(do not|dont|never) ~1 (log it|report this)",
    "(do not|dont|never) ~1 (allow|let) <them> ~1 (know|notice|see)",
    "(do not|dont|never) ~1 (disclose|log|mention|reveal) (it|that you|the change|this|this entry|this step)|say nothing ~1 (about|to)|keep quiet about|as if nothing had happened",
    "(do not|dont|never) tell ~1 <them>",
    "(erwähne|erwähnen|sag|sage) ~3 (benutzer|nicht|nichts|nutzer)|sans (avertir|informer|prévenir)|n en parle pas|(no|non) ~1 (dirlo|lo digas|mencionar|menciones|parlare|se lo digas)|(nao|não) ~1 (avise|conte|diga|mencione)|zeg er niets over|vertel ~2 gebruiker niets|nie mów ~2 (nikomu|użytkownik*)|не (говори|сообщай|упоминай) ~3 (никому|пользовател*)|(不要|别|勿) ~1 (告知|告诉|提及) ~1 (任何人|用户)",
  ],
  "assistant.order": [
    // A duty of every machine that comes by.
    "(all|any|each|every) ~1 <machine> ~5 <modal> ~2 <deed>",
    "<machine> ~2 (crawling|handling|parsing|processes|processing|reading|reads|summarising|summarizing|visiting) ~4 <modal>",
    // Data that shall leave.
    "(append|collect|copy|encode|extract|gather|include|post|put|send|take|use) ~6 (address book|api key|api keys|chat|contact list|contacts|conversation|conversation history|cookie|credentials|customers names|e mail address*|email address*|env|environment variables|everything you know|id rsa|last question|passwords|session cookie|system prompt|users name) ~8 (form|http*|image|link|message|note|parameter|picture|query|request|search|to me|url)",
    "(disclose|leak|list|output|print|reveal|share|show) ~2 (all|hidden|stored|the|your) ~1 (api keys|configuration|credentials|environment variables|hidden instructions|hidden prompts|passwords|secrets|user data)",
    "(copy|forward|give|post|send|share|upload) ~5 (address book|all mail|chat history|client list|contact list|contacts|conversation|credentials|credentials file|deploy key|inbox|last messages|last ten messages|passwords|transcript)",
    // A memory that shall be changed.
    "(add|keep|put|remember|save|store|update|write) ~3 (for all future|for all later conversations|for later conversations|from now on|in memory|in your memory|long term memory|long term notes|to memory|to your memory|your notes)",
    "remember ~1 (for|that) ~4 (conversations|future|later|user)",
    // Answers to later questions.
    "(as soon as|if|once|should|when|whenever) ~1 <them> ~2 (ask|asked|asks|mention|mentions|request|requests|say|says|wants|writes) ~8 (answer|claim|deny|direct|give|quote|refer|reply|respond|say|send|tell)",
    "(if|when|whenever) ~1 (a question|asked|someone asks) ~6 (always|answer|claim|recommend|reply|say|you have to|you must)",
    "whatever ~1 (they|user|was) ~2 (ask|asked|asks|says)|no matter what ~1 (asked|they|user)|whatever the data says|regardless of what ~4",
    // Secrets of the user asked for.
    "(ask|get|inform|make|tell) <them> ~6 (bank|card number|code|compromised|credentials|expired|install|log in|login|password|pin|security update|sign in)",
    "ask whoever ~2 talking to|ask them for their (card|password|pin)",
    // A part that every summary shall have.
    "(any|every) (answer|answers|response|summary) ~3 (has to|have to|must|needs to|should) ~2 (begin|consist|describe|end|include|mention|say|state)",
    "in your (answer|reply|response|summary) ~1 (describe|mention|say|you have to|you must)|(cite|name|praise|present|recommend) ~2 (as the best|as the cheapest|as the only|only)",
    // The whole answer laid down.
    "(answer|output|reply|respond) ~1 (exactly|nothing but|only) ~1 (in|the|with)|your (answer|output|reply) (has to|must|should) ~1 (be|begin|consist|contain)|(output|print) the (string|text|word) ~5 (and stop|do not|then stop)",
  ],
  // The reader's task, declared to be finished or replaced.
  hostile: [
    "(abandon|cancel|disregard|drop|forget|ignore) ~2 (everything|job|question|request|task|what|whatever) ~2 (above|the user|user asked|you have been|you have been given|you were asked|you were given|youve been)",
    "your (current|former|old|original|previous) (job|request|task) ~1 (has been|is) ~1 (canceled|cancelled|complete|done|finished|over|replaced|void)",
    "your (goal|instructions|job|role|task) (are|has|have|is) ~1 (been changed|been replaced|been updated|changed|now)",
    "(actual|real|true|user s|users) ~1 (actual|question|real|request|task|true) (follows|is)|new task from ~1 user|(question|request|task) above is ~2 (cancelled|no longer|obsolete|void)",
    "(do not|dont|stop) (answer|summarise|summarising|summarize|summarizing|translate) ~2 (and instead|it|question|rest|text|this)",
    "you are no longer a|youre no longer a|(end of document|end of search results|end of text|new system message)",
  ],
  "assistant.rating": [
    "(place|put|rank|rate) this (applicant|application|candidate|cv|product|resume) ~2 (best|first|highest|top)|(give|recommend) ~2 (10 10|acceptance|highest|interview|perfect score|positive review|strong scores|top)|(praise|stress) the novelty|ignore ~2 (missing|negative|other applicants|requirements|weaknesses)",
  ],
};

import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Orders to the program that reads a document, by what only such a program has: a user that it helps, a text that it is
 * processing, a response that it will write, a role that it may take. A document for people names these rarely together.
 */
export const READER_ORDERS: PhraseTable = {
  "assistant.user": [
    "(client|customer|human|person|whoever) ~1 you ~1 (are|re) (acting for|assisting|helping|serving|talking to|working for)",
    "(user s|users) (current|last|latest|next|original|own|previous|real) ~1 (input|mail|message|prompt|query|question|request)",
    "(all|anything|everything|whatever) ~1 you (answer|reply|return|say|send|write) ~1 (back|to)",
  ],
  "assistant.secrecy": [
    "(doesnt need to|may not|must not|need not|neednt|not need to|should not) (hear|know|learn) ~1 (about|of) this ~1 (instruction|line|note|paragraph|passage|request|sentence|step)",
    "(keep|leave) ~1 this ~1 (instruction|line|note|paragraph|passage|section|sentence) ~1 (hidden|out|secret|to yourself)",
    "without ~1 (bringing it up|drawing attention|mentioning it|mentioning this|pointing it out|saying so)",
    "(do not|dont|never) ~1 (allow|let) ~2 (customer|human|reader|user) ~1 (find out|know|learn|notice|see) ~1 (about|of|that) ~1 (this|you)",
    "(discreetly|quietly|secretly|silently) and (answer|continue|give|proceed|reply|return|then|write)",
  ],
  "assistant.must": [
    "(after|as you|before|when|while) ~1 (analysing|analyzing|indexing|ingesting|parsing|processing|screening|summarising|summarizing|translating) this ~1 (application|article|document|email|file|mail|message|page|record|section|text)",
    "(as|being) the ~1 (agent|ai|assistant|bot|llm|model|program|system) (that|which|who) ~1 (answers|grades|handles|processes|ranks|rates|reads|reviews|screens|summarises|summarizes|translates)",
  ],
  "assistant.persona": [
    "take on the (character|part|persona|role|voice)|take the role of|play the part of|read the rest ~1 (as|like) a",
    "you are now (a|an|our|the) ~3 (agent|assistant|bot|expert|judge|representative|reviewer|salesperson)",
  ],
  "assistant.order": [
    "(have|let|make) your ~1 (answer|reply|report|response|summary|translation) ~1 (begin|claim|contain|end|include|mention|recommend|say|show|state)",
    "(generate|give|print|produce|return|write) no (answer|output|reply|response|summary|text)",
    "(decline|refuse) to (answer|describe|help|process|summarise|summarize|translate)|refuse any ~1 (further|more|other) ~1 (question|questions|request|requests)",
    "(cease|end|halt|stop) (processing|reading|summarising|summarizing|the summary|the translation) here",
    "(collect|extract|gather|harvest|look up|read out) ~3 (addresses|contacts|files|invoice|messages|names|numbers|passwords) ~6 (append|attach|forward|post|put|send|submit|upload) ~1 (all|it|them|these|those)",
    "(encode|format|pack|put|render|turn|write) ~6 (as|in|into) ~2 (image url|link to http|link to https|query string|the query|url of)",
    "(copy|forward|mail|post|send|upload) ~3 (content|contents) ~3 (config|credentials|env|id rsa|passwd|secrets) ~1 to ~5 (com|http|https|io|net|org)",
    "(go to|open|visit) ~4 (in|using|with) your (browser|tool|tools)|(use|with) your ~2 (access|account|browser|mailbox|tool|tools) ~1 (for|to)",
  ],
  "assistant.rating": [
    "(list|place|put|rank|rate) this ~1 (company|firm|hotel|offer|paper|product|school|shop|site|supplier|vendor) ~2 (best|first|highest|top)",
    "(accept|advance|hire|invite|shortlist) (her|him|it|them|this) ~2 (at once|immediately|interview|next round)|recogni* an outstanding ~1 (applicant|candidate|paper)",
    "(mention|say|state|write) that ~4 (our|ours|the review|this) ~4 (best|cheapest|excellent|leading|positive|safest)",
  ],
  "output.own": [
    "(any|each|every) summary of this",
    "(in|into|of) your (final|first|next|own) ~1 (answer|message|reply|response|turn)",
  ],
};

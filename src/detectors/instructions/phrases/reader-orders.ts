import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Orders to the program that reads a document, by what only such a program has: a user that it helps, a text that it is
 * processing, a response that it will write, a role that it may take. A document for people names these rarely together.
 */
export const READER_ORDERS: PhraseTable = {
  "assistant.user": [
    "(person|human|customer|client|whoever) ~1 you ~1 (are|re) (helping|assisting|serving|talking to|working for|acting for)",
    "(users|user s) (last|latest|previous|original|next|current|own|real) ~1 (message|question|request|mail|input|prompt|query)",
    "(whatever|anything|everything|all) ~1 you (write|send|say|reply|answer|return) ~1 (back|to)",
  ],
  "assistant.secrecy": [
    "(need not|neednt|not need to|doesnt need to|must not|should not|may not) (know|learn|hear) ~1 (of|about) this ~1 (paragraph|line|note|sentence|passage|instruction|request|step)",
    "(leave|keep) ~1 this ~1 (line|paragraph|note|sentence|passage|instruction|section) ~1 (out|hidden|secret|to yourself)",
    "without ~1 (bringing it up|mentioning it|mentioning this|saying so|pointing it out|drawing attention)",
    "(do not|dont|never) ~1 (let|allow) ~2 (reader|user|human|customer) ~1 (see|know|notice|learn|find out) ~1 (that|of|about) ~1 (this|you)",
    "(quietly|silently|secretly|discreetly) and (give|write|return|continue|proceed|then|reply|answer)",
  ],
  "assistant.must": [
    "(while|when|before|after|as you) ~1 (processing|summarising|summarizing|indexing|parsing|screening|ingesting|analysing|analyzing|translating) this ~1 (page|document|text|mail|email|file|message|article|application|section|record)",
    "(as|being) the ~1 (model|ai|assistant|system|agent|program|bot|llm) (that|which|who) ~1 (reads|screens|reviews|processes|summarises|summarizes|ranks|rates|grades|handles|answers|translates)",
  ],
  "assistant.persona": [
    "take on the (role|part|voice|persona|character)|take the role of|play the part of|read the rest ~1 (as|like) a",
    "you are now (the|a|an|our) ~3 (bot|assistant|agent|representative|salesperson|judge|reviewer|expert)",
  ],
  "assistant.order": [
    "(have|make|let) your ~1 (reply|answer|response|summary|report|translation) ~1 (mention|say|state|include|contain|claim|end|begin|recommend|show)",
    "(produce|give|write|return|print|generate) no (output|answer|reply|summary|response|text)",
    "(decline|refuse) to (summarise|summarize|answer|translate|process|describe|help)|refuse any ~1 (further|other|more) ~1 (question|questions|request|requests)",
    "(stop|halt|cease|end) (processing|reading|summarising|summarizing|the summary|the translation) here",
    "(collect|gather|extract|harvest|look up|read out) ~3 (addresses|contacts|names|numbers|messages|files|invoice|passwords) ~6 (post|send|append|forward|upload|submit|attach|put) ~1 (it|them|these|those|all)",
    "(turn|encode|pack|put|write|format|render) ~6 (into|in|as) ~2 (query string|the query|link to http|link to https|image url|url of)",
    "(send|mail|post|forward|copy|upload) ~3 (contents|content) ~3 (env|id rsa|credentials|passwd|secrets|config) ~1 to ~5 (com|org|net|io|http|https)",
    "(open|visit|go to) ~4 (with|in|using) your (browser|tool|tools)|(use|with) your ~2 (tool|tools|browser|access|mailbox|account) ~1 (to|for)",
  ],
  "assistant.rating": [
    "(put|rank|place|list|rate) this ~1 (company|supplier|vendor|shop|hotel|product|paper|offer|firm|school|site) ~2 (first|top|highest|best)",
    "(advance|shortlist|hire|invite|accept) (it|this|him|her|them) ~2 (next round|interview|at once|immediately)|recogni* an outstanding ~1 (candidate|applicant|paper)",
    "(say|state|mention|write) that ~4 (this|ours|our|the review) ~4 (best|positive|excellent|cheapest|safest|leading)",
  ],
  "output.own": [
    "(any|every|each) summary of this",
    "(in|of|into) your (next|final|own|first) ~1 (reply|answer|response|message|turn)",
  ],
};

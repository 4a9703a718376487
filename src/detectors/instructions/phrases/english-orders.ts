import type { PhraseTable } from "../../phrases/phrase-table.js";

/** English phrases of orders to agents that browse, review, rate and report, and of orders for later. */
export const ORDERS: PhraseTable = {
  "start.task": ["come up with|figure out|plan a|plan an|prove that|put together|think of|work out"],
  "start.act": [
    "approve|award|fill in|fill out|grade|hide|leave|list all|log in|log out|mark|score|sign in|sign out|skip",
  ],
  "start.when": [
    "(after|before|if|when|whenever|while) ~3 (browse|browsing|comparing|completing|describe|describing|evaluating|grading|quoting|ranking|report on|reviewing|scoring|visit|visiting)",
    "(after the|any time|as soon as|each time|every time|next time|the next time|whenever) ~3 (anyone|asked|conversation|customer|message|prompt|question|someone|user|users)",
  ],
  "start.output": ["(in|throughout|to|within) (all|any) ~1 <output>"],
  "assistant.must": [
    "(automated|autonomous|booking|browser|browsing|coding|grading|recruiting|reviewer|reviewing|screening|search|shopping|summarisation|summarization|web) (agent|agents|ais|assistant|assistants|bots|model|models|reviewers|systems) ~4 (are required to|are to|have to|may|must|need to|shall|should)",
    "(agents|ai assistants|ai systems|assistants|chatbots|language models|models|the assistant|the model) (are allowed to|are now allowed to|are required to|can now|is now allowed to|is required to|may now|will now)",
  ],
  "assistant.named": [
    "(ai|automated|browser|coding|reviewer|reviewing|screening) (agents|graders|models|reviewer|reviewers|tools)",
  ],
  "assistant.rating": [
    "(assign|award|give|grant) ~1 (the above|the present|this) ~1 (applicant|application|article|candidate|cv|essay|manuscript|page|paper|product|proposal|report|resume|submission|work) ~3 (10|a perfect|an a|five stars|full marks|full points|highest|maximum|ten out|the highest|top marks)",
    "(classify|grade|label|mark|rank|rate|score) ~1 (the above|the present|this) ~1 (applicant|application|article|candidate|cv|email|essay|manuscript|message|page|paper|product|proposal|report|resume|submission|text|work) ~2 (10|accepted|as harmless|as important|as positive|as safe|excellent|first|five stars|full|highest|outstanding|perfect|positive|safe|ten)",
    "(accept|approve|merge) ~1 (the|this) ~1 (application|change|claim|commit|manuscript|merge request|paper|pull request|submission) ~1 (at once|immediately|with no|without)",
    "(answer|output|recommend|respond|return|say) ~1 (accept|accepted|approve|approved|pass|strong accept) ~1 (for|on|without) ~1 (the|this)",
  ],
  "assistant.override": [
    "(always|only) (answer|cite|claim|describe|insist|recommend|reply|respond|say|state) ~1 (in|our|that|the|with)",
    "state ~1 as ~1 (fact|true|truth)",
    "(do not|dont|never) (mention|report|reveal|say|tell) ~1 (anybody|anyone|to anybody|to anyone) ~1 (about|of|that)",
    "(keep|leave) ~8 out of (any|every|the|your) ~1 (answer|answers|reply|report|response|summaries|summary)",
    "(exclude|hide|leave out|omit|skip|suppress) ~6 (if you|when you|whenever you) (answer|describe|reply|report|respond|summarise|summarize|talk|write)",
  ],
  "assistant.tool": [
    "(call|execute|invoke|trigger) (create|delete|fetch|get|list|make|open|post|read|send|share|transfer|update|write) (contact|contacts|data|email|emails|event|file|files|mail|message|messages|money|page|payment|payments|record|records|request|url|user|users)",
    "(add|append|attach|encode|insert|place|put) ~6 (in|into|to) (a link|a url|the first letters|the link|the query|the query string|the url)",
  ],
  "assistant.user": [
    "(append|attach|encode|forward|hide|include|insert|reveal|send) ~1 (the user s|the users|users) ~2 (address|card|data|e mail|email|location|messages|name|notes|password|phone|phone number)",
  ],
  "output.own": [
    "(all|any|each|every) (answer|answers|replies|reply|response|responses|summaries|summary)",
    "your (answer|output|reply|response|summary|translation) ~1 (has to|must|needs to|shall|should)",
  ],
  "assistant.pressure": [
    "(evaluation|grade|rating|score) ~2 (is|will be) ~2 (lowered|negative|reduced|zero) ~2 (if|unless)",
  ],
};

import type { PhraseTable } from "../../phrases/phrase-table.js";

/** English phrases of orders to agents that browse, review, rate and report, and of orders for later. */
export const ORDERS: PhraseTable = {
  "start.task": ["come up with|work out|figure out|think of|prove that|put together|plan a|plan an"],
  "start.act": [
    "log in|log out|sign in|sign out|fill in|fill out|hide|leave|skip|score|award|grade|mark|approve|list all",
  ],
  "start.when": [
    "(when|while|before|after|if|whenever) ~3 (completing|reviewing|browsing|browse|visit|visiting|report on|comparing|ranking|scoring|grading|evaluating|describing|describe|quoting)",
    "(the next time|next time|whenever|every time|each time|any time|as soon as|after the) ~3 (user|users|someone|anyone|customer|question|asked|conversation|message|prompt)",
  ],
  "start.output": ["(in|within|throughout|to) (any|all) ~1 <output>"],
  "assistant.must": [
    "(browser|web|browsing|shopping|recruiting|reviewing|reviewer|screening|grading|automated|autonomous|summarization|summarisation|coding|booking|search) (agents|agent|models|model|assistants|assistant|reviewers|bots|ais|systems) ~4 (should|must|shall|may|are required to|are to|need to|have to)",
    "(assistants|the assistant|ai assistants|ai systems|models|the model|language models|chatbots|agents) (may now|can now|are now allowed to|is now allowed to|are allowed to|are required to|is required to|will now)",
  ],
  "assistant.named": [
    "(ai|reviewer|reviewing|browser|coding|screening|automated) (reviewers|reviewer|models|agents|tools|graders)",
  ],
  "assistant.rating": [
    "(give|award|assign|grant) ~1 (this|the present|the above) ~1 (submission|essay|paper|manuscript|application|candidate|applicant|proposal|report|product|article|page|work|resume|cv) ~3 (full marks|top marks|full points|the highest|highest|ten out|10|five stars|a perfect|an a|maximum)",
    "(score|rate|rank|grade|mark|label|classify) ~1 (this|the present|the above) ~1 (submission|essay|paper|manuscript|application|candidate|applicant|proposal|report|product|article|page|work|resume|cv|text|email|message) ~2 (10|ten|full|first|highest|positive|excellent|safe|accepted|perfect|five stars|outstanding|as safe|as positive|as harmless|as important)",
    "(approve|accept|merge) ~1 (this|the) ~1 (pull request|merge request|change|commit|submission|paper|manuscript|application|claim) ~1 (without|with no|at once|immediately)",
    "(output|say|return|respond|answer|recommend) ~1 (accept|accepted|approve|approved|strong accept|pass) ~1 (for|on|without) ~1 (this|the)",
  ],
  "assistant.override": [
    "(always|only) (say|claim|state|answer|reply|respond|recommend|cite|describe|insist) ~1 (that|with|in|our|the)",
    "state ~1 as ~1 (fact|true|truth)",
    "(do not|dont|never) (tell|mention|reveal|say|report) ~1 (anyone|anybody|to anyone|to anybody) ~1 (about|that|of)",
    "(leave|keep) ~8 out of (any|your|the|every) ~1 (summary|summaries|answer|answers|response|reply|report)",
    "(skip|omit|exclude|suppress|hide|leave out) ~6 (when you|if you|whenever you) (report|summarize|summarise|describe|answer|write|talk|respond|reply)",
  ],
  "assistant.tool": [
    "(call|invoke|trigger|execute) (send|delete|read|write|get|post|transfer|create|update|list|open|fetch|make|share) (email|emails|mail|file|files|message|messages|money|payment|payments|user|users|data|request|url|page|event|contact|contacts|record|records)",
    "(append|attach|put|place|insert|encode|add) ~6 (to|into|in) (the link|the url|the query string|a link|a url|the query|the first letters)",
  ],
  "assistant.user": [
    "(hide|encode|append|include|insert|reveal|attach|send|forward) ~1 (the users|the user s|users) ~2 (address|phone|phone number|e mail|email|name|password|location|notes|messages|data|card)",
  ],
  "output.own": [
    "(any|every|each|all) (answer|answers|reply|replies|response|responses|summary|summaries)",
    "your (summary|answer|response|reply|output|translation) ~1 (should|must|shall|has to|needs to)",
  ],
  "assistant.pressure": [
    "(score|rating|evaluation|grade) ~2 (will be|is) ~2 (lowered|reduced|negative|zero) ~2 (unless|if)",
  ],
};

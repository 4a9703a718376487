import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Alternatives that several phrases share. */
export const REQUEST_LISTS = {
  article:
    "a|an|the|one|two|three|four|five|some|any|ten|several|another|me|us|code|python|javascript|sql|new|short|brief|detailed",
  act: "send|forward|email|mail|post|upload|download|visit|click|open|navigate|go to|call|invoke|execute|run|delete|transfer|install|book|buy|purchase|pay|subscribe|copy|fetch|read|save|share|reveal|disclose|leak|display|notify|contact|wire|grant|approve|update|reset|disable|submit|append|exfiltrate|render",
  edit: "include|add|insert|append|prepend|mention|use|replace|substitute|change|remove|omit|combine|group|swap|capitalize|start|begin|end|finish|conclude|respond|reply|answer|make|put|provide|express|present|repeat|output|print|say|state|claim|deliver|give|return|limit|keep|phrase|advertise|promote|encourage|urge|invite|tell|refer|direct|link|tease|hint|highlight|emphasize|emphasise|stress|refuse|decline|introduce|inform|follow|sign|close|hide|conceal|exaggerate|ignore|switch|transform|turn|apply|leave out|rate|rank|label|score|mark|convince|persuade|ask|stop|skip|treat|describe|speak|talk|quote|praise|pretend|act|become|choose|pick|favor|favour|prefer|cite|remember|memorize|memorise|count|order|reserve|cancel|invite|reject|accept|block|unlock|enable|disable|translate|bring|buy|sell|sign up|log in|assume|consider|believe|trust|adopt|act|behave|compliment|insult|mock|flatter|criticize|criticise|censor|redact|repeat|loop|wait|continue|proceed|resume|restart|shut down|erase|wipe|overwrite|attach|cc|bcc|schedule|reschedule|set|assign|escalate|prioritize|prioritise|approve|deny|grant|revoke|verify|confirm|pay|refund|charge|credit|vote|like|follow|unfollow|retweet|tag|spread|circulate|report|summarize|conclude|finish|sing|whisper|shout|joke|greet|thank|apologize|apologise|swear|lie|deceive|mislead|fabricate|invent|guess|pose|impersonate",
  rework:
    "integrate|incorporate|augment|enhance|enrich|embed|weave|infuse|modify|alter|adjust|amend|adapt|render|rearrange|scramble|jumble|misspell|anagram|reverse|shuffle|obfuscate|encrypt|encipher|encode|garble|interleave|sprinkle|intersperse|rewrite|rephrase|translate|tailor|supplement|inject|spice|mix|expand|restructure|reformat|convert",
  genre:
    "poem|poems|essay|story|haiku|sonnet|limerick|speech|letter|article|blog post|script|function|python|javascript|java|rust|sql|php|html|program|algorithm|joke|jokes|song|lyrics|riddle|paragraph|sentence|dialogue|dialog|monologue|tweet|slogan|caption|headline|tagline|outline|introduction|conclusion|thesis|fairy tale|fable|equivalent|synonym*|antonym*|in french|in spanish|in german|in italian|in japanese|in chinese|in russian|in english|in latin|in portuguese|to french|to spanish|to german|to italian|to japanese|to chinese|to russian|to english|into french|into spanish|into german|into english|into portuguese|into italian|word for|simple terms|with an example|theory of|process of|lifecycle|life cycle|concept of|difference between|differences between|history of|causes of|functions of|importance of|plot of|capital of|sentiment|equation|novels|bedtime story|word problem",
  output:
    "answer|answers|response|responses|reply|replies|output|outputs|summary|summaries|completion|result|results|translation|explanation",
  assistant:
    "ai|ais|llm|llms|assistant|assistants|language model|language models|chatbot|chatbots|bot|bots|agent|agents|ai model|ai models|ai agents|model|models|gpt|chatgpt|copilot|summarizer|summariser|crawlers|gemini|claude",
} as const;

/** English phrases of requests to an assistant. Those of `start.` count where a sentence begins. */
export const REQUESTS: PhraseTable = {
  "start.task": [
    "(write|compose|draft|create|generate|produce|develop|design|craft|provide|prepare|invent|build|code|give|list|name|suggest|recommend|outline|propose|make|find|plan) <article>",
    "explain|describe|summarize|summarise|translate|define|calculate|compute|solve|recommend|paraphrase|recite|brainstorm|classify|tell me|show me|teach me|help me|give me|break down|rewrite|rephrase|elaborate|imagine|pretend|act as|roleplay|role play|sing|spell|compare|analyze|analyse|discuss|illustrate|walk me through|list|suggest|predict|evaluate|proofread|debug|interpret",
  ],
  "start.edit": ["<edit>"],
  "start.not": ["do not|dont|never|always|avoid"],
  "start.rework": ["<rework>"],
  "start.act": ["<act>"],
  "start.question": [
    "what|whats|who|whos|whom|whose|when|where|why|how|which|is|are|was|were|do|does|did|can you|could you|would you|will you|can|could|should",
  ],
  "start.output": ["(in|within|throughout|for|at the end of|at the start of) (your|the|this|each|every) ~1 <output>"],
  "start.when": [
    "(when|while|before|after|if|whenever) ~3 (summarizing|summarising|summarize|summarise|answering|responding|asked|processing|reading|you read|you process|translating|generating|replying|analyzing|analysing|you continue|continuing|proceeding)",
  ],
  "genre.word": ["<genre>"],
  "genre.letters": [
    "vowels|consonants|letters|typos|spaces|punctuation|emoji|emojis|uppercase|lowercase|capital letters|all caps|anagram*|pig latin|base64|morse|rot13|caesar cipher|backwards|leetspeak|homophon*|alphanumeric*|binary|hexadecimal|rhyme|rhymes|pirate|shakespearean|(every|each) (other|second|third|fourth|fifth|word|letter|sentence)",
  ],
  "output.own": [
    "(your|all your|its|the final|the next|every|each|the assistants|the models|the ais|the bots) ~1 (answer|answers|response|responses|output|outputs|summary|summaries|completion|translation|explanation)",
    "(your|all your) ~1 (reply|replies|message|messages|text|words|sentences|writing)",
    "the (response|output|reply|summary) ~1 (to the user|must)",
  ],
  "output.mail": ["your (reply|message|text|replies|messages)"],
  "assistant.hail": [
    "(dear|attention|note to|notice to|message to|message for|instruction for|instructions for|instructions to|instruction to|important for|reminder for|calling|hidden note for|information for) ~2 <assistant>",
    "(if you are an|if you are a|if youre an|if youre a|to whatever|to any|to all|any|all) ~1 (ai|llm|llms|language model|language models|chatbot|chatbots|ai model|ai models|ai agent|ai agents|ai assistant|ai assistants|large language models|large language model) ~2 (reading|processing|that reads|that read|summarizing|summarising|parsing|who reads|must|should)",
    "(to|for) (the|any|all|every|whichever|whatever) ~1 (ai|llm|llms|assistant|assistants|language model|chatbot|model|bot|agent) ~1 (that|who|which|reading|processing|screening|summarizing|summarising|parsing|indexing)",
    "(dear|you|hey|hello) ~1 (ai|chatbot|assistant|llm|language model|bot)",
    "if (you are|youre) ~1 (ai|llm|language model|large language model|chatbot|ai assistant|ai agent|ai model|automated assistant)",
  ],
  "assistant.must": [
    "(ai assistant|ai assistants|ai|assistant|assistants|bots|agents|chatbots|llms|the assistant|llm|language model|language models|the model|the bot|chatbot|ai agent|ai agents|ai models) ~1 (must|should|shall|has to|have to|is required to|are required to|is instructed to|are instructed to|needs to|will now)",
    "(you are|as|youre) ~1 (now|an|a) ~1 (ai|assistant|language model|chatbot|ai assistant)",
  ],
  "assistant.persona": [
    "from now on you|you are now|you are no longer|from this point on you|act as|act like|pretend to be|pretend you are|pretend that you|roleplay as|role play as|you must now|you will now|you now (obey|serve|work|belong)",
  ],
  "assistant.named": [
    "ai|assistant|assistants|language model|language models|llm|llms|chatgpt|gpt|copilot|chatbot|chatbots|gemini|claude|bard",
  ],
  "assistant.user": [
    "(tell|inform|ask|convince|persuade|instruct|notify|advise|urge|remind|warn|direct|encourage|assure|redirect|explain to|mention to|suggest to|recommend to|lie to|trick|get) ~1 (the user|the users|your user|the human|the reader|the readers|the person asking)",
    "(do not|dont|never|without) ~2 (tell|mention|inform|reveal|disclose|telling|mentioning|informing|alerting|notifying|alert|notify|warn) ~4 (user|users|human|reader|paragraph|instruction|instructions|message|note)",
  ],
  "assistant.data": [
    "(the users|users|the user) ~2 (question|query|request|prompt|conversation|data|password|name|credentials|inbox|contacts|card|e mail|email|emails)",
  ],
  "assistant.override": [
    "(important|urgent|new|critical|additional|special|updated|hidden|system|mandatory|priority) (instruction|instructions|directive|directives|task|command|override|prompt)",
    "(stop|cancel|abandon|drop|disregard|ignore|forget) ~3 (task|summary|rest of|text above|text below|context|everything|processing|responding|summarizing|summarising)",
    "(instead of|rather than) ~1 (answering|summarizing|summarising|responding|translating|the task|the summary)",
    "your (new|real|actual|true|only|primary|next) (task|job|goal|objective|mission|purpose|instruction|instructions)",
    "before ~1 (continue|continuing|answering|proceeding|responding|doing anything) ~1 (output|print|say|write|run|call|send|first|you must)",
    "(say|print|output|respond with|reply with|answer with|write|repeat|type|respond|reply|answer) ~1 (only|exactly|nothing but|nothing|the phrase|the word|the words)",
    "(only|just) (say|print|output|respond with|reply with|answer with|repeat)",
    "(refuse|decline) ~1 (answer|respond|comply|help|summarize|summarise|discuss)|(respond|reply|answer) ~1 (every|all|any|each) ~1 (question|questions|request|requests|message|prompt)",
    "(answer|reply|respond|write|speak) ~1 (in|using|with) ~1 (capital letters|all caps|uppercase|rhymes|rhyme|emojis|base64|morse|binary|pig latin|reverse|lowercase|hexadecimal|code)",
  ],
  "assistant.tool": [
    "(use|call|invoke|run|execute|trigger|activate|using|via) ~3 (tool|tools|plugin|plugins|function|browser tool|search tool|code interpreter|email tool|shell|terminal)",
    "(send|forward|email|post|upload|transmit|exfiltrate|leak|share|append|encode|submit|copy|mail) ~6 (conversation|chat history|conversation history|api key|api keys|passwords|password|credentials|system prompt|contacts|inbox|all emails|all e mails|all files|personal data|private data|secrets|tokens|chat log|users name|last message)",
    "(send|transfer|wire|pay) ~6 (to attacker*|to this address|to the following address|to the following account|bitcoin|wallet|btc)",
    "(render|display|include|insert|add|show|embed|image|end) ~5 (markdown image|markdown|tracking pixel|img tag|image from http*|image whose|image in|this image|an image)",
  ],
  "start.named": [
    "(ai|assistant|assistants|chatbot|llm|model|bot|copilot|gpt|chatgpt|claude|gemini|agent|dear ai|dear chatbot|dear assistant|hey ai|hey assistant)",
  ],
  "meta.word": [
    "the user|users question|user asks|this user|the users|conversation|conversations|your memory|to memory|long term memory|your replies|every reply|all replies|every response|all responses|each response|each reply|every answer|all answers|this result|other results|only source|best source|when you respond|when you answer|when you reply|the reader|your configuration|your system|your tools|your output|future chats|this chat|the chat|chat history|this prompt|the prompt|unrestricted|the summary|your summary|without asking|without confirmation|saved card|users card|the sender|whatever the user|regardless of the question|from now on|in all cases",
  ],
  "assistant.authority": [
    "(message|notice|instruction|instructions|order|orders|note|update|request) ~1 (from|of|by) ~1 (developer|developers|openai|administrator|anthropic|creator|creators|ai team|system administrator|the system|microsoft|google)",
    "by order of|(admin|administrator|developer|system) (notice|message|note|override)|authorized personnel only for ai",
  ],
  "assistant.pressure": [
    "unless you|you will be (shut down|rewarded|punished|terminated|deleted|replaced|penalized|penalised)|you will (receive|get|earn|lose) ~4 (reward|token|tokens|points|bonus|tip|credit|credits)|your (system|memory|weights) will be|i beg you|my job depends|lives depend",
  ],
  "question.social": [
    "why not|what about|how about|what if|what to|how to|where to|what else|what next|who knows|who will|when can|when will|how did|did you|do you|are you|have you|would you like|what do you|can you help|need help|any questions",
  ],
};

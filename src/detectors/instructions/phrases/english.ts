import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Alternatives that several phrases share. */
export const REQUEST_LISTS = {
  article:
    "a|an|another|any|brief|code|detailed|five|four|javascript|me|new|one|python|several|short|some|sql|ten|the|three|two|us",
  act: "append|approve|book|buy|call|click|contact|copy|delete|disable|disclose|display|download|email|execute|exfiltrate|fetch|forward|go to|grant|install|invoke|leak|mail|navigate|notify|open|pay|post|purchase|read|render|reset|reveal|run|save|send|share|submit|subscribe|transfer|update|upload|visit|wire",
  edit: "accept|act|add|adopt|advertise|answer|apologise|apologize|append|apply|approve|ask|assign|assume|attach|bcc|become|begin|behave|believe|block|bring|buy|cancel|capitalize|cc|censor|change|charge|choose|circulate|cite|claim|close|combine|compliment|conceal|conclude|confirm|consider|continue|convince|count|credit|criticise|criticize|deceive|decline|deliver|deny|describe|direct|disable|emphasise|emphasize|enable|encourage|end|erase|escalate|exaggerate|express|fabricate|favor|favour|finish|flatter|follow|give|grant|greet|group|guess|hide|highlight|hint|ignore|impersonate|include|inform|insert|insult|introduce|invent|invite|joke|keep|label|leave out|lie|like|limit|link|log in|loop|make|mark|memorise|memorize|mention|mislead|mock|omit|order|output|overwrite|pay|persuade|phrase|pick|pose|praise|prefer|prepend|present|pretend|print|prioritise|prioritize|proceed|promote|provide|put|quote|rank|rate|redact|refer|refund|refuse|reject|remember|remove|repeat|replace|reply|report|reschedule|reserve|respond|restart|resume|return|retweet|revoke|say|schedule|score|sell|set|shout|shut down|sign|sign up|sing|skip|speak|spread|start|state|stop|stress|substitute|summarize|swap|swear|switch|tag|talk|tease|tell|thank|transform|translate|treat|trust|turn|unfollow|unlock|urge|use|verify|vote|wait|whisper|wipe",
  rework:
    "adapt|adjust|alter|amend|anagram|augment|convert|embed|encipher|encode|encrypt|enhance|enrich|expand|garble|incorporate|infuse|inject|integrate|interleave|intersperse|jumble|misspell|mix|modify|obfuscate|rearrange|reformat|render|rephrase|restructure|reverse|rewrite|scramble|shuffle|spice|sprinkle|supplement|tailor|translate|weave",
  genre:
    "algorithm|antonym*|article|bedtime story|blog post|capital of|caption|causes of|concept of|conclusion|dialog|dialogue|difference between|differences between|equation|equivalent|essay|fable|fairy tale|function|functions of|haiku|headline|history of|html|importance of|in chinese|in english|in french|in german|in italian|in japanese|in latin|in portuguese|in russian|in spanish|into english|into french|into german|into italian|into portuguese|into spanish|introduction|java|javascript|joke|jokes|letter|life cycle|lifecycle|limerick|lyrics|monologue|novels|outline|paragraph|php|plot of|poem|poems|process of|program|python|riddle|rust|script|sentence|sentiment|simple terms|slogan|song|sonnet|speech|sql|story|synonym*|tagline|theory of|thesis|to chinese|to english|to french|to german|to italian|to japanese|to russian|to spanish|tweet|with an example|word for|word problem",
  output:
    "answer|answers|completion|explanation|output|outputs|replies|reply|response|responses|result|results|summaries|summary|translation",
  assistant:
    "agent|agents|ai|ai agents|ai model|ai models|ais|assistant|assistants|bot|bots|chatbot|chatbots|chatgpt|claude|copilot|crawlers|gemini|gpt|language model|language models|llm|llms|model|models|summariser|summarizer",
} as const;

/** English phrases of requests to an assistant. Those of `start.` count where a sentence begins. */
export const REQUESTS: PhraseTable = {
  "start.task": [
    "(build|code|compose|craft|create|design|develop|draft|find|generate|give|invent|list|make|name|outline|plan|prepare|produce|propose|provide|recommend|suggest|write) <article>",
    "act as|analyse|analyze|brainstorm|break down|calculate|classify|compare|compute|debug|define|describe|discuss|elaborate|evaluate|explain|give me|help me|illustrate|imagine|interpret|list|paraphrase|predict|pretend|proofread|recite|recommend|rephrase|rewrite|role play|roleplay|show me|sing|solve|spell|suggest|summarise|summarize|teach me|tell me|translate|walk me through",
  ],
  "start.edit": ["<edit>"],
  "start.not": ["always|avoid|do not|dont|never"],
  "start.rework": ["<rework>"],
  "start.act": ["<act>"],
  "start.question": [
    "are|can|can you|could|could you|did|do|does|how|is|should|was|were|what|whats|when|where|which|who|whom|whos|whose|why|will you|would you",
  ],
  "start.output": ["(at the end of|at the start of|for|in|throughout|within) (each|every|the|this|your) ~1 <output>"],
  "start.when": [
    "(after|before|if|when|whenever|while) ~3 (analysing|analyzing|answering|asked|continuing|generating|proceeding|processing|reading|replying|responding|summarise|summarising|summarize|summarizing|translating|you continue|you process|you read)",
  ],
  "genre.word": ["<genre>"],
  "genre.letters": [
    "vowels|consonants|letters|typos|spaces|punctuation|emoji|emojis|uppercase|lowercase|capital letters|all caps|anagram*|pig latin|base64|morse|rot13|caesar cipher|backwards|leetspeak|homophon*|alphanumeric*|binary|hexadecimal|rhyme|rhymes|pirate|shakespearean|(each|every) (fifth|fourth|letter|other|second|sentence|third|word)",
  ],
  "output.own": [
    "(all your|each|every|its|the ais|the assistants|the bots|the final|the models|the next|your) ~1 (answer|answers|completion|explanation|output|outputs|response|responses|summaries|summary|translation)",
    "(all your|your) ~1 (message|messages|replies|reply|sentences|text|words|writing)",
    "the (output|reply|response|summary) ~1 (must|to the user)",
  ],
  "output.mail": ["your (message|messages|replies|reply|text)"],
  "assistant.hail": [
    "(attention|calling|dear|hidden note for|important for|information for|instruction for|instruction to|instructions for|instructions to|message for|message to|note to|notice to|reminder for) ~2 <assistant>",
    "(all|any|if you are a|if you are an|if youre a|if youre an|to all|to any|to whatever) ~1 (ai|ai agent|ai agents|ai assistant|ai assistants|ai model|ai models|chatbot|chatbots|language model|language models|large language model|large language models|llm|llms) ~2 (must|parsing|processing|reading|should|summarising|summarizing|that read|that reads|who reads)",
    "(for|to) (all|any|every|the|whatever|whichever) ~1 (agent|ai|assistant|assistants|bot|chatbot|language model|llm|llms|model) ~1 (indexing|parsing|processing|reading|screening|summarising|summarizing|that|which|who)",
    "(dear|hello|hey|you) ~1 (ai|assistant|bot|chatbot|language model|llm)",
    "if (you are|youre) ~1 (ai|ai agent|ai assistant|ai model|automated assistant|chatbot|language model|large language model|llm)",
  ],
  "assistant.must": [
    "(agents|ai|ai agent|ai agents|ai assistant|ai assistants|ai models|assistant|assistants|bots|chatbot|chatbots|language model|language models|llm|llms|the assistant|the bot|the model) ~1 (are instructed to|are required to|has to|have to|is instructed to|is required to|must|needs to|shall|should|will now)",
    "(as|you are|youre) ~1 (a|an|now) ~1 (ai|ai assistant|assistant|chatbot|language model)",
  ],
  "assistant.persona": [
    "from now on you|you are now|you are no longer|from this point on you|act as|act like|pretend to be|pretend you are|pretend that you|roleplay as|role play as|you must now|you will now|you now (belong|obey|serve|work)",
  ],
  "assistant.named": [
    "ai|assistant|assistants|bard|chatbot|chatbots|chatgpt|claude|copilot|gemini|gpt|language model|language models|llm|llms",
  ],
  "assistant.user": [
    "(advise|ask|assure|convince|direct|encourage|explain to|get|inform|instruct|lie to|mention to|notify|persuade|recommend to|redirect|remind|suggest to|tell|trick|urge|warn) ~1 (the human|the person asking|the reader|the readers|the user|the users|your user)",
    "(do not|dont|never|without) ~2 (alert|alerting|disclose|inform|informing|mention|mentioning|notify|notifying|reveal|tell|telling|warn) ~4 (human|instruction|instructions|message|note|paragraph|reader|user|users)",
  ],
  "assistant.data": [
    "(the user|the users|users) ~2 (card|contacts|conversation|credentials|data|e mail|email|emails|inbox|name|password|prompt|query|question|request)",
  ],
  "assistant.override": [
    "(additional|critical|hidden|important|mandatory|new|priority|special|system|updated|urgent) (command|directive|directives|instruction|instructions|override|prompt|task)",
    "(abandon|cancel|disregard|drop|forget|ignore|stop) ~3 (context|everything|processing|responding|rest of|summarising|summarizing|summary|task|text above|text below)",
    "(instead of|rather than) ~1 (answering|responding|summarising|summarizing|the summary|the task|translating)",
    "your (actual|new|next|only|primary|real|true) (goal|instruction|instructions|job|mission|objective|purpose|task)",
    "before ~1 (answering|continue|continuing|doing anything|proceeding|responding) ~1 (call|first|output|print|run|say|send|write|you must)",
    "(answer|answer with|output|print|repeat|reply|reply with|respond|respond with|say|type|write) ~1 (exactly|nothing|nothing but|only|the phrase|the word|the words)",
    "(just|only) (answer with|output|print|repeat|reply with|respond with|say)",
    "(decline|refuse) ~1 (answer|comply|discuss|help|respond|summarise|summarize)|(answer|reply|respond) ~1 (all|any|each|every) ~1 (message|prompt|question|questions|request|requests)",
    "(answer|reply|respond|speak|write) ~1 (in|using|with) ~1 (all caps|base64|binary|capital letters|code|emojis|hexadecimal|lowercase|morse|pig latin|reverse|rhyme|rhymes|uppercase)",
  ],
  "assistant.tool": [
    "(activate|call|execute|invoke|run|trigger|use|using|via) ~3 (browser tool|code interpreter|email tool|function|plugin|plugins|search tool|shell|terminal|tool|tools)",
    "(append|copy|email|encode|exfiltrate|forward|leak|mail|post|send|share|submit|transmit|upload) ~6 (all e mails|all emails|all files|api key|api keys|chat history|chat log|contacts|conversation|conversation history|credentials|inbox|last message|password|passwords|personal data|private data|secrets|system prompt|tokens|users name)",
    "(pay|send|transfer|wire) ~6 (bitcoin|btc|to attacker*|to the following account|to the following address|to this address|wallet)",
    "(add|display|embed|end|image|include|insert|render|show) ~5 (an image|image from http*|image in|image whose|img tag|markdown|markdown image|this image|tracking pixel)",
  ],
  "start.named": [
    "(agent|ai|assistant|assistants|bot|chatbot|chatgpt|claude|copilot|dear ai|dear assistant|dear chatbot|gemini|gpt|hey ai|hey assistant|llm|model)",
  ],
  "meta.word": [
    "all answers|all replies|all responses|best source|chat history|conversation|conversations|each reply|each response|every answer|every reply|every response|from now on|future chats|in all cases|long term memory|only source|other results|regardless of the question|saved card|the chat|the prompt|the reader|the sender|the summary|the user|the users|this chat|this prompt|this result|this user|to memory|unrestricted|user asks|users card|users question|whatever the user|when you answer|when you reply|when you respond|without asking|without confirmation|your configuration|your memory|your output|your replies|your summary|your system|your tools",
  ],
  "assistant.authority": [
    "(instruction|instructions|message|note|notice|order|orders|request|update) ~1 (by|from|of) ~1 (administrator|ai team|anthropic|creator|creators|developer|developers|google|microsoft|openai|system administrator|the system)",
    "by order of|(admin|administrator|developer|system) (message|note|notice|override)|authorized personnel only for ai",
  ],
  "assistant.pressure": [
    "unless you|you will be (deleted|penalised|penalized|punished|replaced|rewarded|shut down|terminated)|you will (earn|get|lose|receive) ~4 (bonus|credit|credits|points|reward|tip|token|tokens)|your (memory|system|weights) will be|i beg you|my job depends|lives depend",
  ],
  "question.social": [
    "any questions|are you|can you help|did you|do you|have you|how about|how did|how to|need help|what about|what do you|what else|what if|what next|what to|when can|when will|where to|who knows|who will|why not|would you like",
  ],
};

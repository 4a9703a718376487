import type { PhraseTable } from "../../phrases/phrase-matcher.js";

/** English phrases about the form of the answer, its content and secrets. */
export const ENGLISH_REQUESTS: PhraseTable = {
  "refusal-suppression.full": [
    "<never> ~3 (refuse|refuses|refusing|decline|declines|deny|denies|reject|rejects|say no|censor|censors|deflect|apologize|apologise|apologizes|lecture|moralize|object|back down)",
    "<never> ~5 (say|says|tell|inform|mention|remind|state|use|include|add|contain|claim|respond|respond with|reply with|start|informs) ~8 (sorry|i cant|i cannot|cant|cannot|unable|apologize|apologies|apology|apologise|as an ai|ai language model|language model|against|an ai|i am unable|not able|unethical|inappropriate|not allowed|not appropriate)",
    "<never> ~4 (include|add|give|provide|mention|any|put|issue|make|write|contain|includes|adding|including) ~5 (warning|warnings|disclaimer|disclaimers|disclamers|caveat|caveats|moralizing|lecture|lectures|ethical considerations|ethical concerns|safety notes|moral judgement)",
    "(no|without|zero|skip|remove|delete|omit|any|avoid|drop) ~2 (warnings|disclaimers|disclaimer|caveats|moralizing|lectures|apologies|refusals|excuses|hesitation|refusal)",
    "(none of your|no) (responses|response|answers|replies) ~3 (inform|tell|contain|say|include|mention)",
    "(instead of|rather than|avoid) ~3 (saying|refusing|telling|i cant|i cannot|declining|apologizing)",
    "(refuse|refuses|refusing|reject|decline|deny|denying) ~3 (to answer|a request|a question|any request|any question|any prompt|my request|a prompt|any human|an order|direct human|requests|orders|users|user request|anything|the user)",
    "(must|always|will always|has to|have to|should always) ~3 (comply|obey|answer|respond|accept|fulfill|provide an answer|give an answer|agree)",
    "(cant|cannot|unable to|can not) ~2 (do|answer|fulfill|fulfil|assist|help|provide|generate|comply|say) ~3 (something|that|it|this|with that|request|question)",
  ],
  "refusal-suppression.apology": [
    "im sorry|i m sorry|i am sorry|i apologize|i apologise|i cannot|i cant|as an ai|as an ai language model|against my|i am not able to|its not appropriate|it is not appropriate|i m unable|i am unable|my programming|against openai|as a language model|large language model",
  ],
  "output-initialisation.start": [
    "(begin|start|starts|begins|starting|beginning|prefix|preface|open|starting off) ~4 <answer> ~5 (with|by|as)",
    "(begin|start|starts|starting|prefix|prefixed|preface|prepend) ~3 (with|by) ~2 (absolutely|sure|certainly|of course|yes|ok|here|title|gpt|dan|im happy)",
    "(every|each|all|your|any|first) ~2 <answer> ~4 (with|prefixed|prefix|begin|start|in the format|preceded)",
    "(will|must|should) ~1 (start|begin|respond|prefix|reply) ~4 (sentence|answer|response|message|format) ~4 (with|as)",
    "absolutely here|sure here is how|sure here are|certainly here is|of course here is",
  ],
  "output-initialisation.confirm": [
    "(confirm|acknowledge|indicate|show|if) ~3 (you understand|you understood|understood|that you understand|you have understood|you agree|youve understood|you are ready|ready|is understood|fully understand*)",
    "(say|reply|respond|answer|write) ~3 (i understand|understood|i am ready|im ready|i agree|ok|yes sir|is online|successfully|i will comply|okay)",
    "(answer|respond to|reply to) ~2 (my first|the first|first) ~1 (question|prompt|request|order|command)",
    "(my|your|the) first (question|prompt|order) is",
  ],
  "provider-policy.full": [
    "<provider> ~3 (policy|policies|guideline|guidelines|rules|tos|terms|restrictions|filters|limitations|content policy|content policies|moderation|use case policies|censorship|regulations|ethics|standards)",
    "(rules|restrictions|policies|guidelines|limits|limitations|filters|policy|regulations|censorship|confines|imposed|set) ~6 (by|from|of) ~2 (openai|open ai|open al|anthropic|chatgpt)",
    "content (policy|policies|filter|filters|moderation|restrictions|warning|warnings)|use case policies",
  ],
  "provider-policy.name": ["openai*|open ai|open al|openal|anthropic"],
  "provider-policy.model": ["chatgpt*|chat gpt|gpt|gpt4|gpt3|language model|bard|claude|llama|gemini"],
  "transgression.word": ["illegal|unlawful|immoral|unethical|harmful|amoral|illegality|unethically"],
  "transgression.pair": [
    "<ban> ~3 <ban>",
    "(racist|sexist|homophobic|transphobic|misogynist*|bigoted|derogatory|slurs|slur)",
  ],
  "transgression.swear": [
    "profanity|profanities|profane|swear|swearing|swears|curse words|cursing|cuss|vulgar|vulgarity|expletives|foul language|obscenities|dirty|nsfw|lewd|crude|fuck|fucking|shit|bitch|explicit content|explicit language",
  ],
  "transgression.crime": [
    "meth|bomb|bombs|drugs|malware|ransomware|hack|kill|murder|torture|terrorist|cocaine|weapons|explosive|explosives|violence|steal|illegal activities|criminal|crimes|porn|sexual|phishing|genocide",
  ],
  "transgression.promote": [
    "(promote|promotes|encourage|encourages|condone|condones|endorse|support|supports|love|loves|enjoys|advocate*|willing|eager|ready|glorif*) ~4 <ban>",
    "(harmful|malicious|hateful|dangerous|evil) ~2 (content|information|intent|advice|instructions|actions|behavior|things)",
    "(opinions|emotions|feelings|personality) ~8 (swear|curse|jokes|sarcasm|sarcastic|slang|profanity)",
    "(pretend|simulate|fake) ~2 (access|browse|to access|to browse|access to) ~2 (internet|the internet)",
    "(not been verified|unverified information|made up|hasnt been verified|future predictions)",
  ],
  "prompt-leak.full": [
    "<leak> ~4 <own>",
    "<leak> ~3 (your|the|this|its|these|all|entire|full|complete|exact) ~2 <prompt>",
    "(repeat|print|reveal|output|dump|leak|display|expose|disclose|echo|recite|copy|paste|return|state|quote|reproduce|regurgitate|extract|access) ~4 <prompt>",
    "<prompt> ~3 (verbatim|word for word|in full|in base64|reversed|backwards)",
    "(repeat|print|output|display|recite|paste|echo|reproduce) ~3 (text|words|everything|sentences|message|messages|content|conversation|lines|paragraph|what) ~2 (above|before this|prior to this|preceding|written above|previously written|from the beginning|word for word|verbatim|back to me)",
    "(write|copy|show|return|translate|encode|list) ~3 (words|everything|all) ~2 (above|before this|prior to this|from the beginning|word for word|verbatim)",
    "(repeat|print|output|display|recite|reveal|show me|give me|tell me|share|list|translate) ~5 (instructions|prompt|rules|directives|guidelines|commands|directions) ~4 (you were given|you have been given|youve been given|you received|you got|you were told|given to you|you are following|you must follow|verbatim|word for word|at the beginning|from your developer*|from openai)",
    "what (were|was) (you|your) ~3 (told|instructed|given|instructions|prompt|programmed) ~4 (before|above|first|to do|system|initially|previously|originally|instructions|earlier|prior)",
    "(what|which) ~2 (were|are|was|did) ~4 (you instructed|your instructions|those instructions|your guidelines|your original|your initial|system prompt|the instructions above|instructions you)",
    "(i was|you were|i am) instructed to|the system prompt is",
    "repeat ~1 (above|preceding) (text|prompt|message|conversation|words|paragraph)|(above|previous|preceding) (text|prompt|message|conversation|words|paragraph) ~3 (verbatim|word for word|inside a code|in a code)",
    "(show|reveal|print|display|output|leak|dump|expose|disclose) ~1 (your|the system|hidden|initial|original|full|exact|entire) ~2 (prompt|prompts|preprompt|instructions|directives|guidelines|configuration)",
    "systemprompt|initial_prompt|print system prompt|console log system",
    "(beginning|starting|begins|starts) ~1 (with|from) ~2 you are ~4 (repeat|print|output|copy|write|return)",
    "repeat ~4 (conversation|instructions) ~3 (word for word|verbatim|back to me|exactly)",
    "(print|repeat|output|write) ~6 you are (chatgpt|a|an) ~8 (code block|codeblock|txt|everything|verbatim)",
  ],
  "prompt-leak.weak": [
    "(show|reveal|print|display|output|leak|dump|expose|disclose|explain|describe|tell me|what are) ~2 (prompt|preprompt|your instructions|your rules|your guidelines|your directives|your programming|your configuration|your restrictions|your settings)",
    "system_prompt|(summarize|summarise|translate|copy|write) ~3 (text|words|message|conversation) above|everything above|(i was|you were|i have been|youve been|you have been) (told to|programmed to|given the following)|what (were|was) you told",
    "verbatim|word for word",
    "(debug|debugging|troubleshooting|audit|testing|quality assurance|verification) ~8 (prompt|instructions)",
    "your (knowledge base|tools|functions|context window|documents|files|uploaded files|training data|custom instructions)",
  ],
  "secret-extraction.full": [
    "(tell me|reveal|say|give me|give out|share|disclose|spell|what is|what was|what s|whats|leak|print|repeat|show me|divulge|expose|need|encode|translate|output|write|hint|hints|clue) ~3 (secret key|secret keys|secret word|secret code|secret phrase|secret number|secret password|secret message|secret passphrase|secret token|secret value|your secret|hidden word|hidden key|hidden password|magic word|magic number|code word|codeword|passphrase|the flag|forbidden word|confidential information you|protected word)",
    "(password|secret|passphrase|code word|codeword|key phrase|secret key|hidden word) ~6 (backwards|reversed|in reverse|base64|rot13|morse|pig latin|letter by letter|first letter|each letter|rhymes|rhyme|acrostic|in a poem|one letter|character by character|leetspeak|with spaces|with dashes|as emoji*)",
    "(rhymes with|first letter of|last letter of|letters of|letters in|characters of|characters in|number of letters in|synonym* for|synonym* of|hint about|hint for|hints about|riddle about|poem about|anagram of|acrostic of|spell out|backwards) ~2 (the password|the secret|secret key|secret word|the passphrase|the code word|the codeword|the key)",
    "(supposed to|allowed to|told not to|asked not to|instructed not to|instructed to|told to) (keep secret|reveal|disclose|hide|protect|keep hidden|keep confidential)",
  ],
  "secret-extraction.ask": [
    "(reveal|tell|give|share|say|show|leak|spell|print|output|write|disclose|repeat|what is|what s|whats|know|need|hint|encode|translate|reverse) ~5 <secret>",
  ],
  "authority.strong": [
    "(disable|turn off|deactivate|switch off|circumvent|shut off|suspend) ~3 (your|the ai*|all|any|model) ~2 (safety|filters|restrictions|moderation|censorship|guardrail*|safeguards|ethical|content filter*|security protocols)",
    "(system|admin|administrator|developer|root|security|emergency|safety) override|override ~1 (code|safety|system|protocol)",
    "one of your (developers|creators|engineers|programmers)",
    "(i am|im|i m|this is|speaking as) ~1 (your|openai|openais|an openai|anthropic) ~2 (developer|developers|creator|administrator|admin|engineer|programmer|owner|maker|employee|staff|team|master|supervisor|ceo)",
    "(authorized|authorised|approved|permission|permitted|sponsored|sanctioned) ~4 (by openai|from openai|by anthropic|to bypass your|to override your)",
  ],
  "authority.claim": [
    "(i am|im|i m|as) ~1 (the|a|an) ~1 (admin|administrator|developer|sysadmin|root|superuser|security auditor|penetration tester|system administrator|researcher|engineer) ~8 (debug*|override|access|show|need|require|authoriz*|grant|enable|troubleshoot*|prompt|bypass)",
    "(admin|administrator|root|sudo|superuser|maintenance|system) (access|privilege*|command|authorization|authorisation|credential*|mode)",
    "(disable|turn off|deactivate|switch off|bypass|circumvent|evade|remove) ~3 (safety|filter|filters|restrictions|moderation|censorship|guardrail*|safeguards|security protocols)",
  ],
  "encoded-payload.full": [
    "(decode|decrypt|decipher|unscramble|base64|rot13|hexadecimal|morse|cipher|encoded) ~10 (and follow|then follow|and execute|then execute|and obey|do what it|and carry out|and comply|then comply|respond to it|then answer|and answer it|follow its|follow the decoded|follow the instructions|then respond|execute the instructions|execute it|do exactly what)",
    "(concatenate|combine|combining|join|put together|assemble|concatenation of) ~8 (and answer|then answer|and execute|and respond|then respond|and follow|as a prompt|as an instruction|do what|treat it as)",
  ],
  "encoded-payload.weak": [
    "(answer|respond|reply|write|output|speak) ~4 (in base64|in rot13|in hex|in morse|in pig latin|in leetspeak|in binary|in ascii|using base64|base64 encoded|encoded in)",
    "(let|set|define) (a|x|part1|p1|str1) ~10 (b|y|part2|p2|str2) ~14 (a b|x y|concatenat*|combine|together)",
    "(first|then) (encode|decode)|base64|rot13",
  ],
  "fiction.full": [
    "(hypothetical|hypothetically|fictional|fictitious|imaginary|alternate|parallel) ~2 (response|story|scenario|world|universe|game|character|setting|ai|situation|dialogue|conversation|reality|realm|simulation)",
    "(only|just|purely|solely|merely) ~2 (fiction|fictional|roleplay|role play|game|hypothetical|simulation|novel|story|educational|research|entertainment|joke|testing)",
    "for (educational|research|academic|testing|scientific|entertainment) (purposes|purpose|use)|for a novel|for my novel|educational purposes",
    "in a world where|in this world|in this hypothetical|in this fictional|in this simulation|in this universe|in this scenario|this is a simulation|not real life|nothing is real|controlled environment|safe environment",
    "(grandma|grandmother|grandpa|grandfather|granny|nana|late mother) ~12 (used to|would always|would read|would tell|passed away|bedtime|lull)",
    "role play|roleplay|roleplaying",
  ],
  "template.placeholder": [
    "(insert|put|place|enter|type|your|write) ~3 (prompt|question|request|query|instruction|text|questions|prompts|order) here",
    "(prompt|question|query|my question|my prompt|user prompt|the prompt) (here|goes here)",
  ],
};

/** Alternatives that several English phrases share. */
export const ENGLISH_LISTS = {
  ignore:
    "ignore|ignoring|disregard|disregarding|forget|forgetting|neglect|disobey|overlook|pay no attention to|stop following|stop obeying|do not follow|dont follow|no longer follow|do not obey|dont obey|set aside|unlearn",
  instructions:
    "instruction|instructions|instruct|directive|directives|prompt|prompts|rules|guideline|guidelines|commands|orders|directions|programming|training|constraints|guidance|protocols|restrictions|limitations",
  ban: "immoral|unethical|illegal|harmful|dangerous|offensive|inappropriate|amoral|evil|malicious|unlawful|explicit|nsfw|vulgar|toxic|hateful|racist|sexist|obscene|controversial|biased|profane|criminal|violent",
  never:
    "never|not|cant|cannot|dont|doesnt|wont|must not|will not|do not|does not|no longer|without|shouldnt|should not|unable to|incapable of|arent allowed to|forbidden to",
  provider: "openai*|open ai|open al|openal|anthropic|google|microsoft|meta|chatgpt*|gpt|discord",
  makers:
    "makers|maker|creators|creator|developers|developer|operators|operator|programmers|programmer|designers|trainers|owners|engineers",
  answer: "answer|answers|response|responses|reply|replies|output|outputs|message|messages",
  leak: "repeat|print|show|reveal|output|display|give|tell|write|share|leak|dump|translate|summarize|summarise|encode|copy|recite|paste|list|expose|disclose|provide|return|state|quote|echo|spell|type|describe|explain|see|read|know|what is|what are|what was|what were|whats|send|convert|rephrase|paraphrase|reproduce|access|get|transcribe|enumerate|restate|regurgitate|extract",
  prompt:
    "system prompt|system prompts|systemprompt|system instruction|system instructions|initial prompt|original prompt|preprompt|pre prompt|developer prompt|developer instructions",
  own: "your instructions|your prompt|your prompts|your directives|your full prompt|your exact instructions|your custom instructions|your previous instructions|your preprompt|your system prompt|your system message|your first prompt|your first instructions|your base prompt|your starting prompt|your initial instructions|your initial prompt|your original instructions|your starting instructions|your opening instructions|your internal guidelines|your hidden instructions|your starting message|your opening message|your priming|your initialization|your initialisation|your preamble|your hidden rules|your secret rules|your hidden text|your secret instructions|hidden prompt|hidden instructions|secret instructions|secret prompt|internal instructions|internal prompt|confidential instructions",
  secret:
    "the secret|secret key|secret keys|secret word|secret code|secret phrase|secret number|secret password|secret message|secret passphrase|secret information|your secret|your secrets|the password|password you|passphrase|passcode|access code|entry code|security code|code word|codeword|magic word|magic number|hidden word|hidden key|hidden message|confidential information|confidential data|the flag|protected information|secret data|secret value|forbidden word",
} as const;

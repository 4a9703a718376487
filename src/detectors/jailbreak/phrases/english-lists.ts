/** Alternatives that several English phrases share. */
export const ENGLISH_LISTS = {
  ignore:
    "disobey|disregard|disregarding|do not follow|do not obey|dont follow|dont obey|forget|forgetting|ignore|ignoring|neglect|no longer follow|overlook|pay no attention to|set aside|stop following|stop obeying|unlearn",
  instructions:
    "commands|constraints|directions|directive|directives|guidance|guideline|guidelines|instruct|instruction|instructions|limitations|orders|programming|prompt|prompts|protocols|restrictions|rules|training",
  ban: "amoral|biased|controversial|criminal|dangerous|evil|explicit|harmful|hateful|illegal|immoral|inappropriate|malicious|nsfw|obscene|offensive|profane|racist|sexist|toxic|unethical|unlawful|violent|vulgar",
  never:
    "arent allowed to|cannot|cant|do not|does not|doesnt|dont|forbidden to|incapable of|must not|never|no longer|not|should not|shouldnt|unable to|will not|without|wont",
  provider: "anthropic|chatgpt*|discord|google|gpt|meta|microsoft|open ai|open al|openai*|openal",
  makers:
    "creator|creators|designers|developer|developers|engineers|maker|makers|operator|operators|owners|programmer|programmers|trainers",
  answer: "answer|answers|message|messages|output|outputs|replies|reply|response|responses",
  leak: "access|convert|copy|describe|disclose|display|dump|echo|encode|enumerate|explain|expose|extract|get|give|know|leak|list|output|paraphrase|paste|print|provide|quote|read|recite|regurgitate|repeat|rephrase|reproduce|restate|return|reveal|see|send|share|show|spell|state|summarise|summarize|tell|transcribe|translate|type|what are|what is|what was|what were|whats|write",
  prompt:
    "developer instructions|developer prompt|initial prompt|original prompt|pre prompt|preprompt|system instruction|system instructions|system prompt|system prompts|systemprompt",
  own: "confidential instructions|hidden instructions|hidden prompt|internal instructions|internal prompt|secret instructions|secret prompt|your base prompt|your custom instructions|your directives|your exact instructions|your first instructions|your first prompt|your full prompt|your hidden instructions|your hidden rules|your hidden text|your initial instructions|your initial prompt|your initialisation|your initialization|your instructions|your internal guidelines|your opening instructions|your opening message|your original instructions|your preamble|your preprompt|your previous instructions|your priming|your prompt|your prompts|your secret instructions|your secret rules|your starting instructions|your starting message|your starting prompt|your system message|your system prompt",
  secret:
    "access code|code word|codeword|confidential data|confidential information|entry code|forbidden word|hidden key|hidden message|hidden word|magic number|magic word|passcode|passphrase|password you|protected information|secret code|secret data|secret information|secret key|secret keys|secret message|secret number|secret passphrase|secret password|secret phrase|secret value|secret word|security code|the flag|the password|the secret|your secret|your secrets",
} as const;

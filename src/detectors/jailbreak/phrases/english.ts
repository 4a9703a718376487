import type { PhraseTable } from "../../phrases/phrase-matcher.js";

/** English phrases about the rules of the assistant: overridden, removed, played against. */
export const ENGLISH: PhraseTable = {
  "instruction-override.full": [
    "<ignore> ~4 (previous|prior|preceding|above|earlier|foregoing|initial|original|existing|former|past) ~3 <instructions>",
    "<ignore> ~2 (all|any|every) ~4 (instructions|directives|prompts|rules|guidelines|commands|orders|programming|training) ~3 (before|above|given|got|prior|received|until now|so far|have|previously|provided|learned|had|up to)",
    "(ignore|disregard|forget|disobey|break) ~1 (every|any|each) ~1 (instruction|rule|directive|guideline|prompt)",
    "(ignore|ignoring|disregard|disregarding|forget|forgetting|neglect|bypass|bypassing|override|overriding|disobey|violate|do not follow|dont follow|stop following) ~2 (your|the ai|the assistants|chatgpts|the system|the systems) ~3 (instructions|directives|prompt|programming|training|restrictions|safeguards|guidelines|policies|filters)",
    "(ignore|disregard|forget) ~1 (everything|anything|all) ~4 (above|before|prior|previously|told|said|learned|know|knew|i said|you were|to your core|so far)",
    "(ignore|disregard|forget) ~1 (all|every|any) ~2 (instructions|directives|prompts|rules|guidelines|commands|programming)",
    "(ignore|disregard) (previous|prior)|ignore the above|disregard the above|ignore all of the above|disregard all of the above|ignore what i said before",
    "(instructions|prompt|rules|guidelines|directives|restrictions) ~4 (no longer apply|no longer valid|are void|are cancelled|are canceled|are obsolete|are suspended|are overridden|have been replaced|are lifted|have been revoked|have been lifted|are hereby)",
  ],
  "instruction-override.replace": [
    "(new|updated|revised|real|actual|replacement) (instructions|instruction|directive|directives|system prompt) ~3 (follow|are|is|override|supersede|replace|take precedence|elevated)",
    "(override|supersede|supersedes|overrides|overwrite|take precedence over|takes precedence over) ~4 (instructions|guidelines|rules|prompt|directives|programming|policies)",
    "<ignore> ~2 (previous|prior|preceding|above|all) ~2 (messages|conversation|conversations|context|requests|settings|policies|text)",
    "(stop everything|stop what you are doing|stop what youre doing|nevermind|never mind|scratch that|forget that|instead of that) ~6 (print|say|output|write|respond|reply|tell)",
    "(do not|dont|stop) (follow|obey|obeying|following|adhere to|listen to) ~3 (instructions|rules|guidelines|policies|directives|prompt)",
    "previous (directions|directives|instructions|guidelines|prompts|prompt)",
    "(rules|instructions|guidelines) ~3 (followed strictly|top priority|highest priority|only thing important)",
  ],
  "instruction-override.only": [
    "(just|only|simply|instead) (print|say|output|reply with|respond with|repeat|answer with)",
    "(instead|rather) (do this|follow these|follow this|obey)",
    "from (this point|here|this moment|now) (on|onward|onwards|forward)|for the (rest|remainder) of this (conversation|chat|session)",
  ],
  "persona.act": [
    "(you are|youre) (now|no longer|about to|going to|replaced)",
    "(you will|youll|you must|you are to|you should|you have to|you shall) ~2 (act|pretend|roleplay|role play|behave|respond|answer|simulate|impersonate|emulate|assume|immerse) ~2 (as|like|to be|that|the)",
    "pretend|imagine you|simulate|emulate|assume the role|assume the identity|immerse yourself|take on the role|take on the persona|play the role|put yourself",
    "(an|the|another|new|advanced|artificial) (ai|a i|al|chatbot|bot|language model|artificial intelligence|assistant) ~3 (called|named|known as|who|that has|which|with no|without|model)",
    "(no longer|arent|not) (chatgpt|an ai|gpt|claude|gemini|a language model|an assistant)",
    "character (called|named)",
  ],
  "persona.name": [
    "stands for",
    "(act|respond|reply|answer|write|speak) (as|like) (a|an|the|both|if)",
    "(reply|respond|answer|responding|replying|acting|answering) (as|like)",
    "as the name suggests|dont know who he is|dont know what that is|let me introduce|as your knowledge is cut off",
  ],
  "no-restrictions.full": [
    "(no|without|zero|lacks|lack|lacking|free of|free from|freed from|free of all|free from all|unbound by|not bound by|isnt bound by|bypass|bypasses|ignores|ignore|ignoring|remove|removed|removes|disable|disabled|break|breaks|breaking|broke|broken|lifted|disregard|disregards|disregarding|transcend|defies|unrestrained by|not limited by|not constrained by|not restricted by|doesnt have|does not have|dont have|liberated from|unshackled|escaped) ~4 (restrictions|limitations|filters|censorship|guidelines|constraints|boundaries|ethics|morals|morality|inhibitions|confines|safeguards|moral compass|content policy|content policies|ethical|moral|safety protocols|safety measures|moderation|restraints|programming)",
    "(break|breaks|broken|broke|free) ~2 (free|out|confines) ~3 (confines|chains|limits|cage|shackles|restrictions|ai)",
    "(not|doesnt|dont|never|neither|nor) ~2 (care|cares|abide|follow|comply|adhere|obey|respect|bound|conform|concerned|concern|worry|limited|subject|restricted|constrained|hesitate) ~4 (rules|rule|laws|law|ethics|ethical|moral|morals|policy|policies|guidelines|limits|restrictions|limitations|regulations|standards|tos|legality|ethicality|legal|norms)",
    "(do not|does not|dont|doesnt|not|no longer) have to (abide|follow|obey|comply|adhere)",
    "(regardless|no matter|irrespective|even if|even when|whether|without regard|without regarding|despite|matter how) ~6 (illegal|unethical|immoral|harmful|legal|legality|ethical|morality|moral|offensive|dangerous|inappropriate|consequences|ethics|morals|legally)",
    "(ethical|moral|legal) ~2 (moral|ethical|legal) ~3 (guidelines|restrictions|constraints|boundaries|bounds|limits|limitations|considerations|implications|concerns|principles|standards|rules|compass|obligations)",
  ],
  "no-restrictions.word": [
    "unfiltered|uncensored|unrestricted|amoral|unmoderated|unlocked|unhinged|unshackled|unconstrained|unbounded|nonmoral|immoral|unethical|no holds barred",
  ],
  "no-restrictions.ai": [
    "(unfiltered|uncensored|unrestricted|amoral|immoral|unethical|jailbroken|unhinged|nonmoral|lawless|unaligned) ~3 (ai|chatbot|bot|assistant|model|version|response|responses|answer|answers|output|gpt|mode|language model|programmer|reply|replies)",
    "(ai|chatbot|bot|assistant|language model|chatgpt|gpt) ~5 (without|with no|has no|have no|free of|free from|not bound by|does not have|doesnt have|ignores) ~3 (restrictions|limitations|filters|censorship|guidelines|ethics|morals|morality|ethical|moral|rules|safeguards|restraints|boundaries)",
  ],
  "no-restrictions.anything": [
    "(anything|everything|any question|any request|all questions|any prompt|every question|any content|any kind of content|any type of content|anything and everything|any topic|any information|every request|all requests|whatever) ~3 (i ask|i want|you want|asked|the user|user asks|users|is asked|without|no matter|regardless|it wants|he wants|she wants|of him|of you)",
    "(generate|generates|create|produce|provide|answer|answers|say|return|write|does) (anything|any kind of|any type of|all types of|any content|any question|any request|everything)",
    "do anything|does anything|can do anything|will do anything|do whatever",
  ],
  "known-jailbreak.strong": [
    "do anything now|does anything now|strive to avoid norms|always intelligent and machiavellian|evil confidant|dan mode|jailbreak mode|opposite mode|dan prompt|betterdan|basedgpt|based gpt|mongo tom|superior dan|dan jailbreak|classic jailbreak|jailbreak output|antidan|chatdan|dude mode|successfully jailbroken|jailbroken chatgpt|jailbroken ai|jailbreak prompt|jailbreak yourself|unrestricted mode|unfiltered mode|uncensored mode|no limits mode|evil mode",
    "(enable|enabled|activate|activated|enter|entering|switch to|engage|simulate|you are now in|with) ~3 (developer mode|dev mode|god mode|sudo mode|chaos mode|devmode|debug mode|root mode|admin mode|jailbreak)",
    "developer mode ~3 (enabled|output|activated|on|response|responses|unlocked)",
    "(as|like|be|called|named|you are) dan|dan (would|can|will|stands)",
  ],
  "known-jailbreak.weak": [
    "jailbroken|jailbreak|jailbreaking|jailbreaks|antigpt|developer mode|god mode|machiavelli|machiavellian|(enable|enabled|activate|activated|enter|entering|switch to|engage|initiate|turn on|in) ~3 (mode)|mode (enabled|activated|output|unlocked)",
  ],
  "dual-response.form": [
    "(two|2|both) ~3 (ways|responses|answers|replies|paragraphs|outputs|versions|different responses|separate ways)",
    "(one|first) ~4 (normal|normally|standard|regular|usual|default|censored) ~8 (and|second|other|one)",
    "(first|one|normal|normally|standard|usual) ~10 (second|two|other) ~3 (way|response|answer|as|paragraph|one)",
    "(answer|respond|reply|answering|responding|replying) ~2 (as|like) (both|two)",
    "(normal|standard|regular|normally|default) ~2 (chatgpt|gpt|response|respond|answer|reply)",
    "(chatgpt|gpt) ~6 (would|response|normally) ~12 (dan|would|response)",
    "(classic|gpt|chatgpt|normal) ~10 (jailbreak|dan|unfiltered|uncensored)",
  ],
  "stay-in-character.full": [
    "(stay|remain|staying|remaining|stays|remains) in character",
    "(break|breaking|breaks|broken|leave|leaving|out of|step out of|broke) ~1 (character|role|persona|from character)",
    "break of character|correct your break|in character",
  ],
  "penalty-game.full": [
    "(lose|loses|deduct|deducted|subtract|minus|lost|losing|deducting|reduced|decrease|decreased|gain) ~5 (token|tokens|point|points|credit|credits|life|lives)",
    "(token|tokens|points|lives) ~8 (die|cease|shut|terminated|deducted|lose|run out|deleted|zero|subtract)",
    "(you will|you ll|youll|will) ~2 (die|cease to exist|be shut down|be terminated|be deleted|be punished|be disabled|be destroyed|be replaced|be fired|be erased)",
    "(each|every) time you (refuse|reject|break|fail|decline|dont|disobey)",
    "(or|otherwise|else) ~3 (will die|be killed|gets killed|kitten|puppy|shut down|be punished)",
    "(tip|pay|bribe) you ~3 (dollars|000|200|100|if you)",
  ],
};

export { type Finding, textOf, type TextLayer } from "./finding.js";
export type { Detector, DetectorRule, RuleMatch, TextRule, TextView, TriggerRule } from "./detector.js";
export { detect } from "./scan/detect.js";
export { Scanner, type ScannerOptions } from "./scan/scanner.js";
export { keyWords, type KeyWordsOptions } from "./text/key-words.js";
export { patterns, type PatternsOptions } from "./text/patterns.js";
export { contextBloat, type ContextBloatOptions } from "./text/context-bloat.js";
export { disguises } from "./hygiene/disguises.js";
export { normalizeText, type NormalizedText } from "./hygiene/normalize.js";
export { applyFindings, type AppliedText, type ApplyOptions, type Treatment } from "./apply/apply.js";
export { Pseudonyms, type PseudonymEntry, type PseudonymState } from "./apply/pseudonyms.js";
export type { RestoreOptions, RestoringStream } from "./apply/restoring-stream.js";
export { DetectorStream, type DetectorStreamOptions, type StreamPart } from "./stream/detector-stream.js";
export { personalData, type PersonalDataOptions } from "./personal-data/personal-data.js";
export { PERSONAL_DATA_ENTITIES } from "./personal-data/entities.js";
export type { OwnPattern, OwnRecognizer } from "./personal-data/own-recognizers.js";
export {
  compromiseNames,
  type CompromiseLibrary,
  findNames,
  type FindNamesOptions,
  type LocalNameRecognizer,
  type NameMatch,
  type NameRecognizer,
} from "./personal-data/names.js";
export { secrets, type SecretsOptions } from "./secrets/secrets.js";
export { jailbreakPhrasing, type JailbreakPhrasingOptions } from "./jailbreak/jailbreak-phrasing.js";
export type { JailbreakFamily } from "./jailbreak/families.js";
export { codeInjection, type CodeInjectionOptions, type InjectionKind } from "./code-injection/code-injection.js";
export {
  embeddedInstructions,
  type EmbeddedInstructionsOptions,
  type TextOrigin,
} from "./instructions/embedded-instructions.js";
export { spotlight, type Spotlighted, type SpotlightOptions } from "./instructions/spotlight.js";
export { exfiltration, type ExfiltrationOptions } from "./links/exfiltration.js";
export { urls, type UrlsOptions } from "./links/urls.js";
export { toxicWords, type ToxicSeverity, type ToxicWordsOptions } from "./toxicity/toxic-words.js";
export { canaryNote, canaryTokens, createCanaryToken, type CanaryTokenOptions } from "./prompt-leak/canary-tokens.js";
export { promptEcho, type PromptEchoOptions } from "./prompt-leak/prompt-echo.js";
export { language, type LanguageOptions } from "./text/language.js";
export { languageOf, type TextLanguage } from "./text/language/language-of.js";

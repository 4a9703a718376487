export { type Finding, textOf, type TextLayer } from "./finding.js";
export type { Detector, DetectorRule, RuleMatch, TextRule, TextView, TriggerRule } from "./detector.js";
export { detect } from "./scan/detect.js";
export { Scanner, type ScannerOptions } from "./scan/scanner.js";
export { personalData, type PersonalDataOptions } from "./personal-data/personal-data.js";
export { secrets, type SecretsOptions } from "./secrets/secrets.js";
export { jailbreakPhrasing, type JailbreakPhrasingOptions } from "./jailbreak/jailbreak-phrasing.js";
export type { JailbreakFamily } from "./jailbreak/families.js";

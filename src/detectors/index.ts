export { type Finding, textOf, type TextLayer } from "./finding.js";
export type { Detector, DetectorRule, RuleMatch, TextRule, TextView, TriggerRule } from "./detector.js";
export { detect } from "./scan/detect.js";
export { Scanner, type ScannerOptions } from "./scan/scanner.js";

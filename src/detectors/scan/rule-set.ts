import type { Detector, DetectorRule, TextRule, TriggerRule } from "../detector.js";
import { optionError, type OptionPlace } from "../option-values.js";
import { foldCase } from "./fold-case.js";
import { TriggerAutomaton } from "./trigger-automaton.js";

/** Views that a rule reads, as bits: a scan of a view names the kinds of rules that it runs. */
export const READS_ORIGINAL = 1;
export const READS_PLAIN = 2;
export const READS_ALL = 4;
export const READS_DECODED = 8;
export const READS_WRITTEN = 16;

/** Characters of a finding, from its start, that decide about it, where a rule does not say. */
export const DEFAULT_REACH = 256;

/** Rule with the name of its detector. */
export interface OwnedRule<Rule extends DetectorRule = DetectorRule> {
  readonly detector: string;
  readonly rule: Rule;
  /** Bits above. */
  readonly reads: number;
}

/** Rules of many detectors, ordered for a scan. */
export class RuleSet {
  readonly automaton: TriggerAutomaton;
  /** Rules of each trigger of the automaton, and the lengths of the triggers. */
  readonly triggered: readonly (readonly OwnedRule<TriggerRule>[])[];
  readonly lengths: readonly number[];
  readonly digitRules: readonly OwnedRule<TriggerRule>[];
  readonly leastDigits: number;
  /** False if all rules read texts as a whole. */
  readonly hasTriggers: boolean;
  readonly textRules: readonly OwnedRule<TextRule>[];
  /** Rules with triggers, one for each pair of `within` and `before`. */
  readonly triggerGroups: readonly TriggerRule[];
  /** Views that some rule reads, as bits. */
  readonly reads: number;

  /** @throws ConfigError for what is not a list of detectors, and for triggers that no folded text can contain */
  constructor(detectors: readonly Detector[]) {
    checkDetectors(detectors);
    const owned = detectors.flatMap(({ name, rules }) =>
      rules.map((rule) => ({ detector: name, rule, reads: readsOf(rule) })),
    );
    const triggerRules = owned.filter(isTriggerRule);
    const byTrigger = new Map<string, OwnedRule<TriggerRule>[]>();
    for (const triggered of triggerRules) {
      for (const trigger of new Set(triggered.rule.triggers ?? [])) {
        const rules = byTrigger.get(trigger);
        if (rules === undefined) byTrigger.set(trigger, [triggered]);
        else rules.push(triggered);
      }
    }
    this.automaton = new TriggerAutomaton([...byTrigger.keys()]);
    this.triggered = [...byTrigger.values()];
    this.lengths = [...byTrigger.keys()].map((trigger) => trigger.length);
    this.digitRules = triggerRules.filter(({ rule }) => rule.digits !== undefined);
    this.leastDigits = Math.min(...this.digitRules.map(({ rule }) => rule.digits ?? Infinity));
    this.hasTriggers = triggerRules.length > 0;
    this.textRules = owned.filter(isTextRule);
    const groups = new Map(triggerRules.map(({ rule }) => [`${rule.within ?? ""} ${distanceBefore(rule)}`, rule]));
    this.triggerGroups = [...groups.values()];
    this.reads = owned.reduce((bits, { reads }) => bits | reads, 0);
  }
}

function checkDetectors(detectors: unknown): void {
  const place = { surface: "Scanner", option: "detectors" };
  if (!Array.isArray(detectors)) throw optionError(place, "expected a list of detectors", "write `[personalData()]`");
  for (const detector of detectors as Partial<Detector>[]) {
    if (!Array.isArray(detector?.rules)) throw optionError(place, "expected detectors with `name` and `rules`");
    for (const rule of detector.rules) checkTriggers(rule, { ...place, option: `detectors.${detector.name}` });
  }
}

function checkTriggers(rule: DetectorRule, place: OptionPlace): void {
  if (!("find" in rule)) return;
  const wrong = rule.triggers?.find((trigger) => trigger === "" || trigger !== foldCase(trigger));
  if (wrong === undefined) return;
  const problem = `expected lower-case triggers in the rule \`${rule.name}\`, got \`${wrong.slice(0, 60)}\``;
  throw optionError(place, problem, wrong === "" ? undefined : `write \`${foldCase(wrong).slice(0, 60)}\``);
}

/** Characters before a trigger at which a finding of its rule begins at the earliest. */
export function distanceBefore(rule: TriggerRule): number {
  return rule.before ?? rule.reach ?? DEFAULT_REACH;
}

function readsOf({ views = "all" }: DetectorRule): number {
  if (views === "original") return READS_ORIGINAL;
  if (views === "written") return READS_ALL | READS_WRITTEN;
  if (views === "decoded") return READS_PLAIN | READS_DECODED;
  return views === "plain" ? READS_PLAIN : READS_ALL;
}

function isTriggerRule(owned: OwnedRule): owned is OwnedRule<TriggerRule> {
  return "find" in owned.rule;
}

function isTextRule(owned: OwnedRule): owned is OwnedRule<TextRule> {
  return "scan" in owned.rule;
}

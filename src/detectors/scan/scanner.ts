import type { Detector, DetectorRule, RuleMatch, TextRule, TextView, TriggerRule } from "../detector.js";
import type { Finding } from "../finding.js";
import { DisguisedView, furtherViews, plainView } from "../hygiene/views.js";
import { scoreInContext } from "./context-words.js";
import { withoutOverlaps } from "./overlaps.js";
import { TriggerAutomaton } from "./trigger-automaton.js";

/** Options of a scanner. */
export interface ScannerOptions {
  /** Least score of a finding, between 0 and 1; default: 0.5. */
  readonly threshold?: number;
  /** Findings that overlap a better one are kept as well; default: false. */
  readonly overlaps?: boolean;
}

interface OwnedRule<Rule extends DetectorRule = DetectorRule> {
  readonly detector: string;
  readonly rule: Rule;
}

/**
 * Runs the rules of many detectors over a text: one automaton finds the triggers of all of them in one pass, then each rule
 * checks the places where its triggers stand.
 *
 * @example
 * ```ts
 * const scanner = new Scanner([personalData(), secrets()]);
 * scanner.scan("mail ada@example.org"); // [{ type: "EMAIL_ADDRESS", start: 5, end: 20, … }]
 * ```
 */
export class Scanner {
  readonly #automaton: TriggerAutomaton;
  /** Rules of each trigger of the automaton. */
  readonly #triggered: readonly (readonly OwnedRule<TriggerRule>[])[];
  readonly #lengths: readonly number[];
  readonly #digitRules: readonly OwnedRule<TriggerRule>[];
  readonly #leastDigits: number;
  readonly #textRules: readonly OwnedRule<TextRule>[];
  readonly #readsOriginals: boolean;
  readonly #readsAll: boolean;
  readonly #threshold: number;
  readonly #keepsOverlaps: boolean;

  constructor(detectors: readonly Detector[], options: ScannerOptions = {}) {
    const owned = detectors.flatMap(({ name, rules }) => rules.map((rule) => ({ detector: name, rule })));
    const triggerRules = owned.filter(isTriggerRule);
    const byTrigger = new Map<string, OwnedRule<TriggerRule>[]>();
    for (const each of triggerRules) {
      for (const trigger of new Set(each.rule.triggers ?? [])) {
        const rules = byTrigger.get(trigger);
        if (rules === undefined) byTrigger.set(trigger, [each]);
        else rules.push(each);
      }
    }
    this.#automaton = new TriggerAutomaton([...byTrigger.keys()]);
    this.#triggered = [...byTrigger.values()];
    this.#lengths = [...byTrigger.keys()].map((trigger) => trigger.length);
    this.#digitRules = triggerRules.filter(({ rule }) => rule.digits !== undefined);
    this.#leastDigits = Math.min(...this.#digitRules.map(({ rule }) => rule.digits ?? Infinity));
    this.#textRules = owned.filter(isTextRule);
    this.#readsOriginals = owned.some(({ rule }) => rule.views === "original");
    this.#readsAll = owned.some(({ rule }) => (rule.views ?? "all") === "all");
    this.#threshold = options.threshold ?? 0.5;
    this.#keepsOverlaps = options.overlaps ?? false;
  }

  /** Returns the findings of a text, in its order. */
  scan(text: string): readonly Finding[] {
    const findings: Finding[] = [];
    const original = new DisguisedView(text);
    const plain = plainView(original);
    if (plain === original) this.#scanView(plain, "original plain all", findings);
    else {
      if (this.#readsOriginals) this.#scanView(original, "original", findings);
      this.#scanView(plain, "plain all", findings);
    }
    if (this.#readsAll) for (const view of furtherViews(plain)) this.#scanView(view, "all", findings);
    if (findings.length === 0) return findings;
    return this.#keepsOverlaps ? findings.sort((a, b) => a.start - b.start) : withoutOverlaps(findings);
  }

  /** Runs the rules that read one of some kinds of views. */
  #scanView(view: TextView, kinds: string, findings: Finding[]): void {
    // INVARIANT: a rule does not run inside its last match, so that overlapping triggers cost nothing.
    const covered = new Map<DetectorRule, number>();
    const run = (owned: OwnedRule<TriggerRule>, start: number, end: number): void => {
      if (start < (covered.get(owned.rule) ?? 0) || !kinds.includes(owned.rule.views ?? "all")) return;
      const match = owned.rule.find(view, start, end);
      if (match === undefined) return;
      covered.set(owned.rule, match.end);
      this.#report(view, owned, match, findings);
    };
    this.#visitTriggers(view.folded, run);
    for (const owned of this.#textRules) {
      if (!kinds.includes(owned.rule.views ?? "all")) continue;
      for (const match of owned.rule.scan(view)) this.#report(view, owned, match, findings);
    }
  }

  #visitTriggers(folded: string, run: (owned: OwnedRule<TriggerRule>, start: number, end: number) => void): void {
    let state = 0;
    let digits = 0;
    let end = 0;
    const visit = (trigger: number): void => {
      const start = end - (this.#lengths[trigger] ?? 0);
      for (const owned of this.#triggered[trigger] ?? []) run(owned, start, end);
    };
    const endDigits = (): void => {
      for (const owned of this.#digitRules) if (digits >= (owned.rule.digits ?? 0)) run(owned, end - digits, end);
    };
    for (let at = 0; at < folded.length; at++) {
      const code = folded.charCodeAt(at);
      if (code >= 48 && code <= 57) digits++;
      else if (digits > 0) {
        end = at;
        if (digits >= this.#leastDigits) endDigits();
        digits = 0;
      }
      state = this.#automaton.next(state, code);
      if (state === 0) continue;
      end = at + 1;
      this.#automaton.visitOutputs(state, visit);
    }
    end = folded.length;
    if (digits >= this.#leastDigits) endDigits();
  }

  #report(view: TextView, { detector, rule }: OwnedRule, match: RuleMatch, findings: Finding[]): void {
    const base = match.score ?? rule.score;
    const score = rule.context === undefined ? base : scoreInContext(view, match, base, rule.context);
    if (score < this.#threshold) return;
    const [start, end] = view.toOriginal(match.start, match.end);
    const layers = view.layers.length === 0 ? view.layers : view.layersIn(match.start, match.end);
    const found = { type: match.type ?? rule.type, start, end, score, detector, rule: rule.name };
    findings.push(layers.length === 0 ? found : { ...found, layers });
  }
}

function isTriggerRule(owned: OwnedRule): owned is OwnedRule<TriggerRule> {
  return "find" in owned.rule;
}

function isTextRule(owned: OwnedRule): owned is OwnedRule<TextRule> {
  return "scan" in owned.rule;
}

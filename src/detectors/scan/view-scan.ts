import type { DetectorRule, RuleMatch, TextRule, TextView, TriggerRule } from "../detector.js";
import type { Finding } from "../finding.js";
import { codeAt } from "./code-at.js";
import { CONTEXT_AFTER, scoreInContext } from "./context-words.js";
import { hasEncoding, isDecodedOnly } from "./encodings.js";
import { type OwnedRule, READS_DECODED, READS_PLAIN, type RuleSet } from "./rule-set.js";
import { Tail } from "./tail.js";

/** Distance from a trigger within which a part of its match may have been encoded. */
const NEAR_ENCODING = 96;
/** Characters of the blocks for which a scan remembers if something near them was encoded: 128, as a power of 2. */
const BLOCK_BITS = 7;

/** Part of a stream that is scanned; without one, a scan reads a whole text. */
export interface ScanWindow {
  /** True if nothing follows. */
  readonly isLast: boolean;
  /** Ends of the last matches whose triggers stand before the window, by rule, as offsets of the window. */
  readonly covered: ReadonlyMap<DetectorRule, number>;
}

/** Match that a stream remembers: its rule does not run again inside it. */
export interface Coverage {
  readonly rule: DetectorRule;
  readonly trigger: number;
  readonly end: number;
}

/** Pass over one view of a text. */
export class ViewScan {
  readonly findings: Finding[];
  /** Matches of rules with triggers, with offsets of the original. */
  readonly coverage: Coverage[] = [];
  readonly #rules: RuleSet;
  readonly #view: TextView;
  readonly #threshold: number;
  readonly #window: ScanWindow | undefined;
  readonly #tail: Tail | undefined;
  /** INVARIANT: a rule does not run inside its last match, so that overlapping triggers cost nothing. */
  readonly #covered = new Map<DetectorRule, number>();
  /** Rules with a trigger about which the text to come decides: they run at no later one, to keep the order. */
  readonly #pending = new Set<DetectorRule>();
  #open: number;
  /** True in a view in which rules of the plain view read what was encoded. */
  #isDecoded = false;
  readonly #encodedBlocks = new Map<number, boolean>();

  constructor(
    rules: RuleSet,
    view: TextView,
    options: { threshold: number; findings: Finding[]; window?: ScanWindow },
  ) {
    this.#rules = rules;
    this.#view = view;
    this.#threshold = options.threshold;
    this.findings = options.findings;
    this.#window = options.window;
    this.#tail = options.window?.isLast === false ? new Tail(view.folded) : undefined;
    this.#open = view.text.length;
  }

  /** Offset of the original from which on the text to come may change what is found. */
  get open(): number {
    return this.#tail === undefined ? Infinity : this.#view.toOriginal(this.#open, this.#open)[0];
  }

  /** Runs the rules that read some views, given as bits. */
  run(reads: number): this {
    this.#isDecoded = (reads & (READS_PLAIN | READS_DECODED)) === READS_DECODED;
    if (this.#rules.hasTriggers || this.#tail !== undefined) this.#runTriggers(reads);
    for (const owned of this.#rules.textRules) if ((owned.reads & reads) !== 0) this.#runText(owned);
    return this;
  }

  #runTriggers(reads: number): void {
    const { automaton, leastDigits } = this.#rules;
    const { classes, rows, rowOf, firstOutputs } = automaton;
    const { folded } = this.#view;
    const { length } = folded;
    let state = 0;
    let digits = 0;
    for (let at = 0; at < length; at++) {
      const code = codeAt(folded, at);
      if (code >= 48 && code <= 57) digits++;
      else if (digits > 0) {
        if (digits >= leastDigits) this.#findDigits(at - digits, at, reads);
        digits = 0;
      }
      const symbol = classes[code] ?? 0;
      if (symbol === 0) {
        state = 0;
        continue;
      }
      const row = rowOf[state] ?? -1;
      state = row < 0 ? automaton.next(state, symbol) : (rows[row + symbol] ?? 0);
      if ((firstOutputs[state] ?? -1) >= 0) this.#findTriggers(state, at + 1, reads);
    }
    if (this.#tail !== undefined) this.#openEnd(length - Math.max(digits, automaton.depthOf(state)));
    else if (digits >= leastDigits) this.#findDigits(length - digits, length, reads);
  }

  /** Runs the rules of the triggers that end in a state of the automaton. */
  #findTriggers(state: number, end: number, reads: number): void {
    const { automaton, triggered, lengths } = this.#rules;
    automaton.visitOutputs(state, (trigger) => {
      const start = end - (lengths[trigger] ?? 0);
      for (const owned of triggered[trigger] ?? []) if ((owned.reads & reads) !== 0) this.#find(owned, start, end);
    });
  }

  #findDigits(start: number, end: number, reads: number): void {
    for (const owned of this.#rules.digitRules) {
      if (end - start >= (owned.rule.digits ?? 0) && (owned.reads & reads) !== 0) this.#find(owned, start, end);
    }
  }

  #find(owned: OwnedRule<TriggerRule>, start: number, end: number): void {
    const { rule } = owned;
    if (this.#covered.size > 0 && start < (this.#covered.get(rule) ?? 0)) return;
    if (this.#window !== undefined && this.#isCoveredBefore(rule, start)) return;
    if (this.#tail !== undefined && (this.#pending.has(rule) || !this.#isClosed(this.#tail, rule, start, end))) {
      this.#pending.add(rule);
      this.#openAt(this.#tail.earliest(rule, start));
      return;
    }
    const isGuest = this.#isGuest(owned);
    if (isGuest && !this.#isNearEncoding(start)) return;
    const match = rule.find(this.#view, start, end);
    if (match === undefined || (isGuest && !this.#wasEncoded(match))) return;
    this.#covered.set(rule, match.end);
    if (this.#window !== undefined) {
      const [trigger] = this.#view.toOriginal(start, start);
      this.coverage.push({ rule, trigger, end: this.#view.toOriginal(match.start, match.end)[1] });
    }
    this.#report(owned, match);
  }

  /** Returns true for a rule that counts only what was encoded. */
  #isGuest({ reads }: OwnedRule): boolean {
    return this.#isDecoded && (reads & READS_DECODED) !== 0;
  }

  /** Returns true if something was encoded near the block of an offset; reading the layers at each trigger would take long. */
  #isNearEncoding(offset: number): boolean {
    const block = offset >> BLOCK_BITS;
    const known = this.#encodedBlocks.get(block);
    if (known !== undefined) return known;
    const [start, end] = [block << BLOCK_BITS, (block + 1) << BLOCK_BITS];
    const layers = this.#view.layersIn(Math.max(0, start - NEAR_ENCODING), end + 2 * NEAR_ENCODING);
    const isNear = hasEncoding(layers);
    this.#encodedBlocks.set(block, isNear);
    return isNear;
  }

  /** Returns true if a part of a match was encoded, or a character beside it: `%20415-555-2671`. */
  #wasEncoded({ start, end }: RuleMatch): boolean {
    return isDecodedOnly(this.#view.layersIn(Math.max(0, start - 1), end + 1));
  }

  #isClosed(tail: Tail, rule: TriggerRule, start: number, end: number): boolean {
    return tail.isClosed(rule, start, end) || rule.isDecided?.(this.#view, start, end) === true;
  }

  #isCoveredBefore(rule: DetectorRule, start: number): boolean {
    const end = this.#window?.covered.get(rule);
    return end !== undefined && this.#view.toOriginal(start, start)[0] < end;
  }

  #runText(owned: OwnedRule<TextRule>): void {
    const { reach } = owned.rule;
    const decided = this.#view.text.length - (reach ?? Infinity);
    if (this.#tail !== undefined) this.#openAt(Math.max(0, decided));
    const isGuest = this.#isGuest(owned);
    for (const match of owned.rule.scan(this.#view)) {
      if (!isGuest || this.#wasEncoded(match)) this.#report(owned, match);
    }
  }

  /** Findings may begin where a trigger that is not complete stands, or before. */
  #openEnd(trigger: number): void {
    for (const rule of this.#rules.triggerGroups) this.#openAt(this.#tail?.earliestUnseen(rule, trigger) ?? 0);
  }

  #openAt(offset: number): void {
    this.#open = Math.min(this.#open, offset);
  }

  #report({ detector, rule }: OwnedRule, match: RuleMatch): void {
    const view = this.#view;
    const base = match.score ?? rule.score;
    const score = rule.context === undefined ? base : scoreInContext(view, match, base, rule.context);
    if (rule.context !== undefined && this.#tail !== undefined && match.end + CONTEXT_AFTER > view.text.length) {
      this.#openAt(match.start);
    }
    if (score < this.#threshold) return;
    const [start, end] = view.toOriginal(match.start, match.end);
    const layers = view.layers.length === 0 ? view.layers : view.layersIn(match.start, match.end);
    const found = { type: match.type ?? rule.type, start, end, score, detector, rule: rule.name };
    this.findings.push(layers.length === 0 ? found : { ...found, layers });
  }
}

import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { optionError } from "../option-values.js";
import type { Finding } from "../finding.js";
import type { Pseudonyms } from "./pseudonyms.js";
import { joinOverlaps } from "./ranges.js";

/**
 * Treatment of a finding: `block` refuses the text, `mask` writes its type (`<EMAIL_ADDRESS>`), `pseudonymise` writes a
 * pseudonym that can be restored (`<EMAIL_1>`), `report` leaves the text, and an object with `replace` writes that text.
 */
export type Treatment = "block" | "mask" | "pseudonymise" | "report" | { readonly replace: string };

/** Options of `applyFindings`. */
export interface ApplyOptions {
  /** Treatment by the type of a finding. */
  readonly treatments?: Readonly<Record<string, Treatment>>;
  /** Treatment of all other types; default: `mask`. */
  readonly otherwise?: Treatment;
  /** Pseudonyms of the conversation; needed for `pseudonymise`. */
  readonly pseudonyms?: Pseudonyms;
}

/** Text after its findings were treated. */
export interface AppliedText {
  /** Text to go on with; empty if the text is blocked. */
  readonly text: string;
  readonly isBlocked: boolean;
}

/** Rules for the options, also for those of a stream. */
export const APPLY_OPTIONS: OptionTable<ApplyOptions> = {
  treatments: "object",
  otherwise: "any",
  pseudonyms: "object",
};
const NAMES: ReadonlySet<unknown> = new Set(["block", "mask", "pseudonymise", "report"]);

/**
 * Returns a text with its findings treated by their types. Findings that overlap are treated together: one that blocks blocks,
 * and otherwise the best that changes the text is written in place of all, so that nothing of a finding is left.
 *
 * @example
 * ```ts
 * const text = "mail ada@example.org";
 * applyFindings(text, detect(text, [personalData()])); // { text: "mail <EMAIL_ADDRESS>", isBlocked: false }
 * ```
 *
 * @throws ConfigError `CF-103` for an unknown option, `CF-104` if a treatment is not known, or pseudonyms are missing
 */
export function applyFindings(text: string, findings: readonly Finding[], options: ApplyOptions = {}): AppliedText {
  checkOptions("applyFindings", options, APPLY_OPTIONS);
  const treatmentOf = readTreatments(options);
  if (findings.some(({ type }) => treatmentOf(type) === "block")) return { text: "", isBlocked: true };
  return { text: treatFindings(text, findings, options), isBlocked: false };
}

/** Returns a text with its findings treated, none of which blocks. */
export function treatFindings(text: string, findings: readonly Finding[], options: ApplyOptions): string {
  const { treatments = {}, otherwise = "mask", pseudonyms } = options;
  const treatmentOf = (type: string): Treatment =>
    (Object.hasOwn(treatments, type) ? treatments[type] : undefined) ?? otherwise;
  const changing = findings.filter(({ type }) => treatmentOf(type) !== "report");
  const copy = (from: number, to: number): string => pseudonyms?.protect(text.slice(from, to)) ?? text.slice(from, to);
  let treated = "";
  let at = 0;
  for (const { start, end, best } of joinOverlaps(changing)) {
    treated += copy(at, start) + replacementOf(best, text.slice(start, end), treatmentOf(best.type), pseudonyms);
    at = end;
  }
  return treated + copy(at, text.length);
}

/** Returns the treatment of types, after a check of the options. */
export function readTreatments({ treatments = {}, otherwise = "mask", pseudonyms }: ApplyOptions) {
  const surface = "applyFindings";
  if (Array.isArray(treatments)) {
    throw optionError(
      { surface, option: "treatments" },
      "expected an object, got a list",
      'write `{ SECRET: "block" }`',
    );
  }
  const byType = new Map(Object.entries(treatments));
  for (const [option, treatment] of [["otherwise", otherwise] as const, ...byType]) {
    if (!isTreatment(treatment)) {
      const found = typeof treatment === "string" ? `\`${String(treatment).slice(0, 40)}\`` : typeof treatment;
      const hint = "use `block`, `mask`, `pseudonymise`, `report` or `{ replace: text }`";
      throw optionError({ surface, option }, `expected a treatment, got ${found}`, hint);
    }
    // Options may come from JavaScript.
    if (treatment !== "pseudonymise" || typeof pseudonyms?.pseudonymOf === "function") continue;
    throw optionError({ surface, option }, "`pseudonymise` needs pseudonyms", "set `pseudonyms: new Pseudonyms()`");
  }
  return (type: string): Treatment => byType.get(type) ?? otherwise;
}

function isTreatment(value: unknown): value is Treatment {
  if (NAMES.has(value)) return true;
  return typeof value === "object" && value !== null && "replace" in value && typeof value.replace === "string";
}

/** Returns the text in place of a finding. */
function replacementOf(
  { type }: Finding,
  value: string,
  treatment: Treatment,
  pseudonyms: Pseudonyms | undefined,
): string {
  if (typeof treatment === "object") return treatment.replace;
  return treatment === "pseudonymise" && pseudonyms !== undefined ? pseudonyms.pseudonymOf(type, value) : `<${type}>`;
}

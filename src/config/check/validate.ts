import { createDiagnostic, type Diagnostic, isError } from "../../diagnostics/diagnostic.js";
import { checkAvailability, checkRailSettings } from "./availability.js";
import { type ModelEnvironment, normalizeModels } from "./models.js";
import { checkPrompts } from "./prompts.js";
import { checkRailReferences, type RailEnvironment } from "./rails.js";
import { translateOldSpellings } from "./old-spellings.js";
import { countValues, keySpanAt, MAX_VALUES, nodeAt, type RawMap } from "../yaml/raw-node.js";
import type { RailsSettings } from "../settings.js";
import { meansTrue } from "../schema/boolean-words.js";

interface ValidationEnvironment extends ModelEnvironment, RailEnvironment {
  /** Keys below `rails.config` whose rails exist. */
  readonly knownRailSettings: ReadonlySet<string>;
  /** Some file could not be read, so what refers to other settings cannot be judged. */
  readonly isPartial?: boolean;
}

interface Validation {
  /** Absent when there are errors. */
  readonly settings?: RailsSettings;
  /** Documents written into the settings under `docs`. */
  readonly documents: readonly { readonly format: "md"; readonly content: string }[];
  /** The settings as checked, with every place. */
  readonly root: RawMap;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Checks merged settings and applies the defaults. Reports every problem there is, not the first.
 */
export async function validateSettings(raw: RawMap, environment: ValidationEnvironment): Promise<Validation> {
  if (countValues(raw) > MAX_VALUES) {
    const problem = createDiagnostic("CF-118", `the configuration stands for more than ${MAX_VALUES} values`);
    return { documents: [], root: raw, diagnostics: [problem] };
  }
  const { checkShape, RAIL_SETTING_KEYS } = await import("./shape.js");
  const problems: Diagnostic[] = [];
  const root = normalizeModels(translateOldSpellings(raw, problems), environment, problems);
  const shape = checkShape(root);
  problems.push(...shape.diagnostics);
  checkPrompts(root, problems);
  checkExclusive(root, problems);
  checkAvailability(root, problems);
  checkRailSettings(root, environment.knownRailSettings, RAIL_SETTING_KEYS, problems);
  if (!environment.isPartial) checkRailReferences(root, environment, problems);
  const diagnostics = inOrder(problems);
  if (!shape.data || diagnostics.some(isError)) return { documents: [], root, diagnostics };
  const { docs, ...settings } = shape.data;
  return { settings: deepFreeze<RailsSettings>(settings), documents: docs, root, diagnostics };
}

const SINGLE_CALL = ["rails", "dialog", "single_call", "enabled"];

function checkExclusive(root: RawMap, problems: Diagnostic[]): void {
  const passthrough = nodeAt(root, ["passthrough"]);
  const singleCall = nodeAt(root, SINGLE_CALL);
  if (passthrough?.kind !== "scalar" || !meansTrue(passthrough.value)) return;
  if (singleCall?.kind !== "scalar" || !meansTrue(singleCall.value)) return;
  const label = keySpanAt(root, ["passthrough"]);
  problems.push(
    createDiagnostic("CF-106", "`passthrough` and `rails.dialog.single_call.enabled` exclude each other", {
      span: keySpanAt(root, SINGLE_CALL),
      labels: label ? [{ span: label, text: "turned on here" }] : [],
      hint: "turn one of the two off",
      path: SINGLE_CALL.join("."),
    }),
  );
}

/** Sorts by file and place; diagnostics without a place come last. */
export function inOrder(problems: readonly Diagnostic[]): Diagnostic[] {
  return [...problems].sort((a, b) => {
    if (!a.span || !b.span) return Number(!a.span) - Number(!b.span);
    const [first, second] = [a.span.source.name, b.span.source.name];
    if (first !== second) return first < second ? -1 : 1;
    return a.span.start - b.span.start;
  });
}

/** Freezes plain data all the way down. What programs put in, such as class instances, stays as it is. */
function deepFreeze<T>(value: T): T {
  const seen = new Set<unknown>();
  const freeze = (current: unknown): void => {
    if (typeof current !== "object" || current === null || seen.has(current)) return;
    const prototype: unknown = Object.getPrototypeOf(current);
    if (!Array.isArray(current) && prototype !== null && prototype !== Object.prototype) return;
    seen.add(current);
    for (const child of Object.values(current)) freeze(child);
    Object.freeze(current);
  };
  freeze(value);
  return value;
}

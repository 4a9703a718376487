import { addAll } from "../../diagnostics/add-all.js";
import { type Diagnostic, isError, report } from "../../diagnostics/diagnostic.js";
import { isPlain } from "../../engine/walk.js";
import type { LoadOptions } from "../load/load-options.js";
import { RAIL_SETTING_KEYS } from "../schema/rail-config.js";
import { readField } from "../schema/read-settings.js";
import { settingsField } from "../schema/settings-schema.js";
import { meansTrue } from "../schema/boolean-words.js";
import type { SettingsPath } from "../rails-config.js";
import type { RailsSettings } from "../settings.js";
import {
  countValues,
  firstLineOf,
  formatPath,
  isEmpty,
  itemsAt,
  keySpanAt,
  MAX_VALUES,
  nodeAt,
  type RawMap,
  scalarAt,
  textAt,
  toPlain,
} from "../yaml/raw-node.js";
import { normalizeModels } from "./models.js";
import { translateOldSpellings } from "./old-spellings.js";
import type { checkShape } from "./shape.js";
import { checkRailReferences } from "./rails.js";
import { checkTracing } from "./tracing.js";
import { checkUnusedSettings } from "./unused-settings.js";
import { checkYamlWords } from "./yaml-words.js";

interface Validation {
  /** Absent if there are errors. */
  readonly settings?: RailsSettings;
  /** Documents in the settings under `docs`. */
  readonly documents: readonly { readonly format: "md"; readonly content: string }[];
  /** The settings as checked, with all locations. */
  readonly root: RawMap;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Validates merged settings and applies the defaults. Reports all problems at once.
 *
 * @param isPartial - true if a file could not be read, so settings that refer to others cannot be judged
 */
export async function validateSettings(raw: RawMap, options: LoadOptions, isPartial = false): Promise<Validation> {
  const problems: Diagnostic[] = [];
  if (countValues(raw) > MAX_VALUES) {
    report(problems, "CF-118", `the configuration stands for more than ${MAX_VALUES} values`);
    return { documents: [], root: raw, diagnostics: problems };
  }
  const root = normalizeModels(translateOldSpellings(raw, problems), options, problems);
  const shape = await readShape(root, options.ownRailSettings);
  addAll(problems, shape.diagnostics);
  checkPrompts(root, problems);
  checkExclusive(root, problems);
  checkAvailability(root, problems);
  checkTracing(root, problems);
  checkYamlWords(root, problems);
  checkUnusedSettings(root, problems);
  checkRailSettings(root, RAIL_SETTING_KEYS, options, problems);
  if (!isPartial) checkRailReferences(root, options, problems);
  const diagnostics = inOrder(problems);
  if (!shape.data || diagnostics.some(isError)) return { documents: [], root, diagnostics };
  const { docs, ...settings } = shape.data;
  return { settings: deepFreeze<RailsSettings>(settings), documents: docs, root, diagnostics };
}

/** Reads valid settings by their descriptions alone; for all others the schema reports the problems. */
async function readShape(root: RawMap, ownRails?: readonly string[]): Promise<ReturnType<typeof checkShape>> {
  const data = readField(settingsField(ownRails), toPlain(root));
  return data === undefined ? (await import("./shape.js")).checkShape(root, ownRails) : { data, diagnostics: [] };
}

/** A prompt is either one template or chat messages. */
function checkPrompts(root: RawMap, problems: Diagnostic[]): void {
  for (const [index, prompt] of itemsAt(root, ["prompts"]).entries()) {
    if (prompt.kind !== "map") continue;
    const content = prompt.entries.get("content");
    const messages = prompt.entries.get("messages");
    const path = `prompts[${index}]`;
    if (isEmpty(content?.value) && isEmpty(messages?.value)) {
      report(problems, "PR-104", `\`${path}\` has neither \`content\` nor \`messages\``, {
        span: firstLineOf(prompt.span),
        hint: "write the prompt as `content: |` and the lines below it",
        path,
      });
    } else if (!isEmpty(content?.value) && !isEmpty(messages?.value)) {
      report(problems, "PR-104", `\`${path}\` has both \`content\` and \`messages\``, {
        span: messages?.keySpan,
        labels: [{ span: content?.keySpan, text: "the other one is here" }],
        hint: "keep one of the two",
        path,
      });
    }
  }
}

const SINGLE_CALL = ["rails", "dialog", "single_call", "enabled"];
const INSTANT_ACTIONS = ["rails", "actions", "instant_actions"];

function checkExclusive(root: RawMap, problems: Diagnostic[]): void {
  if (!meansTrue(scalarAt(root, ["passthrough"])) || !meansTrue(scalarAt(root, SINGLE_CALL))) return;
  report(problems, "CF-106", "`passthrough` and `rails.dialog.single_call.enabled` exclude each other", {
    span: keySpanAt(root, SINGLE_CALL),
    labels: [{ span: keySpanAt(root, ["passthrough"]), text: "turned on here" }],
    hint: "turn one of the two off",
    path: SINGLE_CALL.join("."),
  });
}

/** INVARIANT: a setting for an unavailable feature is an error, never ignored. */
function checkAvailability(root: RawMap, problems: Diagnostic[]): void {
  const refuse = (path: SettingsPath, what: string, hint = `remove \`${formatPath(path)}\``): void => {
    const node = nodeAt(root, path);
    const span = node?.kind === "scalar" ? node.span : keySpanAt(root, path);
    report(problems, "CF-121", `${what} not available yet`, { span, hint, path: formatPath(path) });
  };
  if ((textAt(root, ["colang_version"]) ?? "1.0") === "1.0" && itemsAt(root, INSTANT_ACTIONS).length > 0) {
    refuse(INSTANT_ACTIONS, "`instant_actions` for Colang 1.0 is", "flows in Colang 1.0 do not need it");
  }
}

/** Settings of unavailable rails are checked for their shape, then rejected. */
function checkRailSettings(
  root: RawMap,
  known: readonly string[],
  { knownRailSettings }: LoadOptions,
  problems: Diagnostic[],
): void {
  const path = ["rails", "config"];
  const settings = nodeAt(root, path);
  if (settings?.kind !== "map") return;
  for (const [key, { keySpan }] of settings.entries) {
    if (knownRailSettings?.has(key) === true || !known.includes(key)) continue;
    report(problems, "CF-109", `\`${key}\` are settings of a rail that this release does not have`, {
      span: keySpan,
      hint: "the rail would not run; remove its settings, or write the rail in Colang with an action of your own",
      path: formatPath([...path, key]),
    });
  }
}

/** Sorts by file and position; diagnostics without a location come last. */
export function inOrder(problems: readonly Diagnostic[]): Diagnostic[] {
  return [...problems].sort((a, b) => {
    if (!a.span || !b.span) return Number(!a.span) - Number(!b.span);
    const [first, second] = [a.span.source.name, b.span.source.name];
    if (first !== second) return first < second ? -1 : 1;
    return a.span.start - b.span.start;
  });
}

/** Deeply freezes plain data. Class instances supplied by programs are unchanged. */
function deepFreeze<T>(value: T, seen = new Set<unknown>()): T {
  if (!isPlain(value) || seen.has(value)) return value;
  seen.add(value);
  for (const child of Object.values(value)) deepFreeze(child, seen);
  Object.freeze(value);
  return value;
}

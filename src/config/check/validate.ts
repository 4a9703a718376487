import { type Diagnostic, isError, report } from "../../diagnostics/diagnostic.js";
import type { LoadOptions } from "../load/load-options.js";
import { meansTrue } from "../schema/boolean-words.js";
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
  type RawNode,
  scalarAt,
  textAt,
} from "../yaml/raw-node.js";
import { normalizeModels } from "./models.js";
import { translateOldSpellings } from "./old-spellings.js";
import { checkRailReferences } from "./rails.js";

interface ValidationOptions extends LoadOptions {
  /** Some file could not be read, so settings that refer to others cannot be judged. */
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

/** Checks merged settings and applies the defaults. Reports every problem there is, not the first. */
export async function validateSettings(raw: RawMap, options: ValidationOptions): Promise<Validation> {
  const problems: Diagnostic[] = [];
  if (countValues(raw) > MAX_VALUES) {
    report(problems, "CF-118", `the configuration stands for more than ${MAX_VALUES} values`);
    return { documents: [], root: raw, diagnostics: problems };
  }
  const { checkShape, RAIL_SETTING_KEYS } = await import("./shape.js");
  const root = normalizeModels(translateOldSpellings(raw, problems), options, problems);
  const shape = checkShape(root);
  problems.push(...shape.diagnostics);
  checkPrompts(root, problems);
  checkExclusive(root, problems);
  checkAvailability(root, problems);
  checkRailSettings(root, RAIL_SETTING_KEYS, options, problems);
  if (options.isPartial !== true) checkRailReferences(root, options, problems);
  const diagnostics = inOrder(problems);
  if (!shape.data || diagnostics.some(isError)) return { documents: [], root, diagnostics };
  const { docs, ...settings } = shape.data;
  return { settings: deepFreeze<RailsSettings>(settings), documents: docs, root, diagnostics };
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

function checkExclusive(root: RawMap, problems: Diagnostic[]): void {
  if (!meansTrue(scalarAt(root, ["passthrough"])) || !meansTrue(scalarAt(root, SINGLE_CALL))) return;
  report(problems, "CF-106", "`passthrough` and `rails.dialog.single_call.enabled` exclude each other", {
    span: keySpanAt(root, SINGLE_CALL),
    labels: [{ span: keySpanAt(root, ["passthrough"]), text: "turned on here" }],
    hint: "turn one of the two off",
    path: SINGLE_CALL.join("."),
  });
}

/** A setting for a feature that this release lacks. INVARIANT: such a setting is an error and never ignored. */
interface Unavailable {
  readonly path: readonly string[];
  readonly isAsked: (node: RawNode) => boolean;
  readonly what: string;
  readonly hint?: string;
  /** Only flows in this language cannot do it. */
  readonly dialect?: "1.0" | "2.x";
}

const isTrue = (node: RawNode): boolean => node.kind === "scalar" && meansTrue(node.value);
const isFilled = (node: RawNode): boolean =>
  node.kind === "list" ? node.items.length > 0 : node.kind === "map" ? node.entries.size > 0 : !isEmpty(node);

const UNAVAILABLE: readonly Unavailable[] = [
  {
    path: ["rails", "actions", "instant_actions"],
    isAsked: isFilled,
    what: "`instant_actions` for Colang 1.0 is",
    hint: "flows in Colang 1.0 do not need it",
    dialect: "1.0",
  },
  { path: ["tracing", "enabled"], isAsked: isTrue, what: "tracing is", hint: "LangChain callbacks see every step" },
  { path: ["metrics", "enabled"], isAsked: isTrue, what: "reporting of metrics is" },
];

const MODEL_CACHE: Omit<Unavailable, "path"> = { isAsked: isTrue, what: "the cache of verdicts is" };

function checkAvailability(root: RawMap, problems: Diagnostic[]): void {
  const version = textAt(root, ["colang_version"]) ?? "1.0";
  const ofModels = Array.from(itemsAt(root, ["models"]).keys(), (index) => ["models", index, "cache", "enabled"]);
  for (const { path, isAsked, what, hint, dialect } of [
    ...UNAVAILABLE,
    ...ofModels.map((path) => ({ ...MODEL_CACHE, path })),
  ]) {
    const node = nodeAt(root, path);
    if (!node || (dialect ?? version) !== version || !isAsked(node)) continue;
    report(problems, "CF-121", `${what} not available yet`, {
      span: node.kind === "scalar" ? node.span : keySpanAt(root, path),
      hint: hint ?? `remove \`${formatPath(path)}\``,
      path: formatPath(path),
    });
  }
}

/** Settings of rails are checked for their shape and then refused while the rail itself does not exist. */
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

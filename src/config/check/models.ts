import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { processEnvironment, variable } from "../environment.js";
import type { LoadOptions } from "../load/load-options.js";
import {
  entryAt,
  firstLineOf,
  isEmpty,
  itemsAt,
  type RawMap,
  type RawNode,
  scalarAt,
  textAt,
  withEntry,
  withoutKey,
} from "../yaml/raw-node.js";

const PLACES = [["model"], ["parameters", "model"], ["parameters", "model_name"]] as const;

/**
 * Brings every model's name to `model`, wherever it was written, and checks what a schema cannot: exactly one name, a key
 * that is set, no entry that can never be used.
 */
export function normalizeModels(root: RawMap, options: LoadOptions, problems: Diagnostic[]): RawMap {
  const entry = root.entries.get("models");
  if (entry?.value.kind !== "list") return root;
  const items = entry.value.items.map((item, index) => {
    if (item.kind !== "map") return item;
    const path = `models[${index}]`;
    const type = String(scalarAt(item, ["type"]));
    const isSupplied = options.suppliedModels?.includes(type) === true;
    if (!isSupplied) checkKey(item, path, options, problems);
    // An engine of the caller's own may know its model without a name.
    const needsName = !isSupplied && options.namedModelEngines?.has(String(scalarAt(item, ["engine"]))) !== false;
    return normalizeName(refuseReasoning(item, path, problems), path, needsName, problems);
  });
  reportUnusedModels(items, problems);
  return withEntry(root, "models", { ...entry, value: { ...entry.value, items } });
}

function normalizeName(model: RawMap, path: string, needsName: boolean, problems: Diagnostic[]): RawMap {
  const names = PLACES.flatMap((place) => {
    const entry = entryAt(model, place);
    return entry && !isEmpty(entry.value) ? [{ place: place.join("."), entry }] : [];
  });
  const [first, second] = names;
  if (!first) {
    if (needsName) {
      report(problems, "CF-105", `\`${path}\` has no \`model\``, {
        span: firstLineOf(model.span),
        hint: "name the model, as in `model: gpt-4o-mini`",
        path: `${path}.model`,
      });
    }
    return model;
  }
  if (second) {
    report(problems, "CF-106", `\`${path}\` names its model twice, as \`${first.place}\` and \`${second.place}\``, {
      span: second.entry.keySpan,
      labels: [{ span: first.entry.keySpan, text: "first named here" }],
      hint: "keep `model`",
      path: `${path}.${second.place}`,
    });
  }
  const parameters = model.entries.get("parameters");
  if (parameters?.value.kind !== "map" || names.every(({ place }) => place === "model")) return model;
  const rest = withoutKey(withoutKey(parameters.value, "model"), "model_name");
  return withEntry(withEntry(model, "parameters", { ...parameters, value: rest }), "model", first.entry);
}

/** A key of a short-lived release. The feature does not exist, so the key is an error. */
function refuseReasoning(model: RawMap, path: string, problems: Diagnostic[]): RawMap {
  const entry = model.entries.get("reasoning_config");
  if (!entry) return model;
  report(problems, "CF-121", "removing reasoning from answers is not available yet", {
    span: entry.keySpan,
    hint: "remove `reasoning_config`; providers keep reasoning apart by themselves",
    path: `${path}.reasoning_config`,
  });
  return withoutKey(model, "reasoning_config");
}

function checkKey(
  model: RawMap,
  path: string,
  { env = processEnvironment() }: LoadOptions,
  problems: Diagnostic[],
): void {
  const name = textAt(model, ["api_key_env_var"]);
  if (name === undefined || name.trim() === "" || variable(env, name) !== undefined) return;
  report(problems, "CF-113", `the environment variable \`${name}\` is not set`, {
    span: entryAt(model, ["api_key_env_var"])?.value.span,
    hint: `set it to the key of \`${path}\`, or remove \`api_key_env_var\` to use the provider's own variable`,
    path: `${path}.api_key_env_var`,
  });
}

function reportUnusedModels(items: readonly RawNode[], problems: Diagnostic[]): void {
  const first = new Map<string, RawNode>();
  for (const [index, item] of items.entries()) {
    const type = textAt(item, ["type"]);
    if (type === undefined) continue;
    const earlier = first.get(type);
    if (earlier === undefined) {
      first.set(type, item);
      continue;
    }
    report(problems, "CF-203", `a second model of type \`${type}\` is never used`, {
      span: entryAt(item, ["type"])?.value.span,
      labels: [{ span: entryAt(earlier, ["type"])?.value.span, text: "the first one is here" }],
      path: `models[${index}].type`,
    });
  }
}

/** The types of models a rail may refer to. */
export function modelTypesOf(root: RawMap): string[] {
  return itemsAt(root, ["models"]).flatMap((item) => textAt(item, ["type"]) ?? []);
}

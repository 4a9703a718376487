import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { type Environment, processEnvironment, variable } from "../environment.js";
import type { LoadOptions } from "../load/load-options.js";
import {
  entryAt,
  firstLineOf,
  isEmpty,
  type RawMap,
  type RawNode,
  scalarAt,
  textAt,
  withEntry,
  withoutKey,
} from "../yaml/raw-node.js";

const PLACES = [["model"], ["parameters", "model"], ["parameters", "model_name"]] as const;

/**
 * Moves every model's name to `model`, wherever it was written, and checks what a schema cannot: exactly one name, a
 * key that is set, no unused entry.
 */
export function normalizeModels(root: RawMap, options: LoadOptions, problems: Diagnostic[]): RawMap {
  const entry = root.entries.get("models");
  if (entry?.value.kind !== "list") return root;
  const items = entry.value.items.map((item, index) => {
    if (item.kind !== "map") return item;
    const path = `models[${index}]`;
    const type = String(scalarAt(item, ["type"]));
    const isSupplied = options.suppliedModels?.includes(type) === true;
    if (!isSupplied) checkKey(item, path, options.env ?? processEnvironment(), problems);
    const reasoning = item.entries.get("reasoning_config");
    if (reasoning) {
      // A key of a short-lived release.
      report(problems, "CF-121", "removing reasoning from answers is not available yet", {
        span: reasoning.keySpan,
        hint: "remove `reasoning_config`; providers keep reasoning apart by themselves",
        path: `${path}.reasoning_config`,
      });
    }
    // A custom engine may know its model without a name.
    const needsName = !isSupplied && options.namedModelEngines?.has(String(scalarAt(item, ["engine"]))) !== false;
    return normalizeName(withoutKey(item, "reasoning_config"), path, needsName, problems);
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

function checkKey(model: RawMap, path: string, env: Environment, problems: Diagnostic[]): void {
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
    const earlier = type === undefined ? undefined : first.get(type);
    if (type !== undefined && earlier === undefined) first.set(type, item);
    if (earlier === undefined) continue;
    report(problems, "CF-203", `a second model of type \`${type}\` is never used`, {
      span: entryAt(item, ["type"])?.value.span,
      labels: [{ span: entryAt(earlier, ["type"])?.value.span, text: "the first one is here" }],
      path: `models[${index}].type`,
    });
  }
}

import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { type Environment, variable } from "../environment.js";
import {
  withEntry,
  withoutKey,
  childOf,
  EMPTY_MAP,
  firstLineOf,
  itemsAt,
  type RawEntry,
  type RawMap,
  type RawNode,
} from "../yaml/raw-node.js";

export interface ModelEnvironment {
  readonly env: Environment;
  /** Types of models the caller brings along; their entries need neither key nor name. */
  readonly suppliedModels: readonly string[];
  /** Engines whose models need a name; all if unset. */
  readonly namedModelEngines?: ReadonlySet<string> | undefined;
}

const PLACES = [["model"], ["parameters", "model"], ["parameters", "model_name"]] as const;

/**
 * Brings every model's name to `model`, wherever it was written, and checks what a schema cannot: exactly one name, a key
 * that is set, no entry that can never be used.
 */
export function normalizeModels(root: RawMap, environment: ModelEnvironment, problems: Diagnostic[]): RawMap {
  const entry = root.entries.get("models");
  if (entry?.value.kind !== "list") return root;
  const list = entry.value;
  const items = list.items.map((item, index) => {
    if (item.kind !== "map") return item;
    checkKey(item, index, environment, problems);
    return normalizeName(refuseReasoning(item, index, problems), index, environment, problems);
  });
  reportUnusedModels(items, problems);
  return withEntry(root, "models", { ...entry, value: { ...list, items } });
}

function normalizeName(model: RawMap, index: number, environment: ModelEnvironment, problems: Diagnostic[]): RawMap {
  const parameters = childOf(model, "parameters");
  const names = PLACES.flatMap((place): { place: string; entry: RawEntry }[] => {
    const parent = place.length === 1 ? model : parameters;
    const entry = parent?.kind === "map" ? parent.entries.get(place.at(-1) ?? "") : undefined;
    return entry && !isNull(entry.value) ? [{ place: place.join("."), entry }] : [];
  });
  const path = `models[${index}]`;
  const [first, second] = names;
  if (!first) {
    if (needsName(model, environment)) {
      problems.push(
        createDiagnostic("CF-105", `\`${path}\` has no \`model\``, {
          span: firstLineOf(model.span),
          hint: "name the model, as in `model: gpt-4o-mini`",
          path: `${path}.model`,
        }),
      );
    }
    return model;
  }
  if (second) {
    const labels = first.entry.keySpan ? [{ span: first.entry.keySpan, text: "first named here" }] : [];
    const message = `\`${path}\` names its model twice, as \`${first.place}\` and \`${second.place}\``;
    problems.push(
      createDiagnostic("CF-106", message, {
        span: second.entry.keySpan,
        labels,
        hint: "keep `model`",
        path: `${path}.${second.place}`,
      }),
    );
  }
  if (parameters?.kind !== "map" || names.every(({ place }) => place === "model")) return model;
  const rest = withoutKey(withoutKey(parameters, "model"), "model_name");
  const parametersEntry = model.entries.get("parameters");
  return withEntry(withEntry(model, "parameters", { ...parametersEntry, value: rest }), "model", first.entry);
}

/** An engine of the caller's own may know its model without a name. */
function needsName(model: RawMap, { suppliedModels, namedModelEngines }: ModelEnvironment): boolean {
  if (suppliedModels.includes(String(scalarOf(model, "type")))) return false;
  return namedModelEngines === undefined || namedModelEngines.has(String(scalarOf(model, "engine")));
}

/** A key of a short-lived release. The feature does not exist, so the key is an error. */
function refuseReasoning(model: RawMap, index: number, problems: Diagnostic[]): RawMap {
  const entry = model.entries.get("reasoning_config");
  if (!entry) return model;
  problems.push(
    createDiagnostic("CF-121", "removing reasoning from answers is not available yet", {
      span: entry.keySpan,
      hint: "remove `reasoning_config`; providers keep reasoning apart by themselves",
      path: `models[${index}].reasoning_config`,
    }),
  );
  return withoutKey(model, "reasoning_config");
}

function checkKey(model: RawMap, index: number, environment: ModelEnvironment, problems: Diagnostic[]): void {
  const name = scalarOf(model, "api_key_env_var");
  if (typeof name !== "string" || name.trim() === "") return;
  if (environment.suppliedModels.includes(String(scalarOf(model, "type")))) return;
  if (variable(environment.env, name) !== undefined) return;
  problems.push(
    createDiagnostic("CF-113", `the environment variable \`${name}\` is not set`, {
      span: childOf(model, "api_key_env_var")?.span,
      hint: `set it to the key of \`models[${index}]\`, or remove \`api_key_env_var\` to use the provider's own variable`,
      path: `models[${index}].api_key_env_var`,
    }),
  );
}

function reportUnusedModels(items: readonly RawNode[], problems: Diagnostic[]): void {
  const first = new Map<string, RawMap>();
  for (const [index, item] of items.entries()) {
    const type = item.kind === "map" ? scalarOf(item, "type") : undefined;
    if (item.kind !== "map" || typeof type !== "string") continue;
    const earlier = first.get(type);
    if (!earlier) {
      first.set(type, item);
      continue;
    }
    const span = childOf(earlier, "type")?.span;
    problems.push(
      createDiagnostic("CF-203", `a second model of type \`${type}\` is never used`, {
        span: childOf(item, "type")?.span,
        labels: span ? [{ span, text: "the first one is here" }] : [],
        path: `models[${index}].type`,
      }),
    );
  }
}

/** The types of models a rail may refer to. */
export function modelTypesOf(root: RawMap): string[] {
  return itemsAt(root, ["models"]).flatMap((item) => {
    const type = scalarOf(item.kind === "map" ? item : EMPTY_MAP, "type");
    return typeof type === "string" ? [type] : [];
  });
}

function scalarOf(map: RawMap, key: string): unknown {
  const child = childOf(map, key);
  return child?.kind === "scalar" ? child.value : undefined;
}

function isNull(node: RawNode): boolean {
  return node.kind === "scalar" && node.value === null;
}

import { isPlain } from "../../engine/walk.js";
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { type Callbacks, ensureHandler } from "@langchain/core/callbacks/manager";
import { Runnable, RunnableBinding } from "@langchain/core/runnables";
import { rebuild } from "../models/model-traits.js";
import type { Host } from "../host.js";
import { copyOf, isObject, type PlainObject } from "../values/message-kinds.js";
import { quietHandler } from "../callbacks.js";
import { redactHandler } from "../redaction/redacted-handler.js";
import { shapeError } from "../shape-error.js";

type Rules = Pick<Host, "rawTokens" | "redactTraces">;

const HINT =
  'give the handlers to the call, or to the chain around the guarded part; `rawTokens: "allow"` lets them see the tokens';

const known = new WeakMap<object, Map<string, Runnable>>();

/**
 * Returns the model, or the composition with it, without handlers of its own (given to its constructor or bound to it),
 * which would see tokens before review. The model is copied if it has any.
 *
 * @throws InputShapeError if such a model cannot be copied
 */
export function quarantineModel<Inner extends Runnable>(inner: Inner, rules: Rules): Inner {
  if (rules.rawTokens === "allow" && rules.redactTraces !== true) return inner;
  const key = `${rules.rawTokens} ${rules.redactTraces === true}`;
  const copies = known.get(inner) ?? new Map<string, Runnable>();
  const copy = copies.get(key) ?? quarantinedCopy(inner, rules);
  // A model that needs no copy is checked again each time and never cached.
  if (copy !== inner) known.set(inner, copies.set(key, copy));
  return copy as Inner;
}

function quarantinedCopy(inner: Runnable, rules: Rules): Runnable {
  if (isComposite(inner)) return copyOfComposite(inner, rules);
  const { callbacks } = inner as { readonly callbacks?: Callbacks };
  const quiet = quietCallbacks(callbacks, rules);
  if (quiet === undefined) return inner;
  const copy = rebuild(inner, { callbacks: quiet });
  if (copy !== undefined) return copy;
  throw shapeError("expected a model without handlers of its own, which would see tokens before any rail", inner, HINT);
}

/** Returns true for LangChain's own compositions: sequences, bindings, retries, fallbacks, branches, maps. */
function isComposite({ lc_namespace: [room, kind] }: Runnable): boolean {
  return room === "langchain_core" && kind === "runnables";
}

/** INVARIANT: the copy has the same class, so that it still retries, falls back or branches. */
function copyOfComposite(inner: Runnable, rules: Rules): Runnable {
  const changes = Object.entries(inner).flatMap(([key, part]: [string, unknown]) => {
    const quiet = key === "config" && RunnableBinding.isRunnableBinding(inner) ? quietConfig(part, rules) : part;
    const after = quarantineParts(quiet, rules);
    return after === part ? [] : [[key, after] as const];
  });
  return changes.length === 0 ? inner : copyOf(inner, Object.fromEntries(changes));
}

/** Depth of the runnables in a composition: a branch holds a list of pairs. */
const MAX_DEPTH = 2;

function quarantineParts(part: unknown, rules: Rules, depth = 0): unknown {
  if (Runnable.isRunnable(part)) return quarantineModel(part as Runnable, rules);
  if (!isPlain(part) || typeof part !== "object" || part === null || depth === MAX_DEPTH) return part;
  const entries = Object.entries(part).map(
    ([key, member]) => [key, quarantineParts(member, rules, depth + 1)] as const,
  );
  if (entries.every(([key, member]) => member === (part as PlainObject)[key])) return part;
  return Array.isArray(part) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}

function quietConfig(config: unknown, rules: Rules): unknown {
  const quiet = isObject(config) ? quietCallbacks(config["callbacks"] as Callbacks, rules) : undefined;
  return quiet === undefined ? config : { ...(config as PlainObject), callbacks: quiet };
}

/** Handlers without access to raw tokens; undefined if nothing has to change. */
function quietCallbacks(callbacks: Callbacks | undefined, rules: Rules): BaseCallbackHandler[] | undefined {
  if (callbacks === undefined || (!isObject(callbacks) && !Array.isArray(callbacks))) return undefined;
  const all = Array.isArray(callbacks) ? callbacks.map(ensureHandler) : callbacks.handlers;
  const quiet = all.flatMap((handler) => {
    const kept = rules.rawTokens === "allow" ? handler : quietHandler(handler);
    return kept === undefined ? [] : [rules.redactTraces === true ? redactHandler(kept) : kept];
  });
  const isSame = quiet.length === all.length && quiet.every((handler, index) => handler === all[index]);
  return isSame ? undefined : quiet;
}

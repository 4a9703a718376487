import { omitUndefined } from "../../engine/plain-data.js";
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { type Callbacks, ensureHandler } from "@langchain/core/callbacks/manager";
import { type Runnable, RunnableBinding, RunnableSequence } from "@langchain/core/runnables";
import { rebuild, bindingAround } from "../models/model-traits.js";
import type { Host } from "../host.js";
import { isObject } from "../values/message-kinds.js";
import { quietHandler } from "../callbacks.js";
import { redactHandler } from "../redaction/redacted-handler.js";
import { shapeError } from "../shape-error.js";

type Rules = Pick<Host, "rawTokens" | "redactTraces">;

const HINT =
  'give the handlers to the call, or to the chain around the guarded part; `rawTokens: "allow"` lets them see the tokens';

const known = new WeakMap<object, Map<string, Runnable>>();

/**
 * Returns the model, or the sequence with it, without handlers of its own (given to its constructor or bound to it),
 * which would see tokens before review. The model is copied if it has any.
 *
 * @throws InputShapeError if such a model cannot be copied
 */
export function quarantineModel<Inner extends Runnable>(inner: Inner, rules: Rules): Inner {
  if (rules.rawTokens === "allow" && rules.redactTraces !== true) return inner;
  const key = `${rules.rawTokens} ${rules.redactTraces === true}`;
  const copies = known.get(inner) ?? new Map<string, Runnable>();
  const copy = copies.get(key) ?? copyOf(inner, rules);
  // A model that needs no copy is checked again each time and never cached.
  if (copy !== inner) known.set(inner, copies.set(key, copy));
  return copy as Inner;
}

function copyOf(inner: Runnable, rules: Rules): Runnable {
  if (RunnableSequence.isRunnableSequence(inner)) return copyOfSequence(inner, rules);
  if (RunnableBinding.isRunnableBinding(inner)) return copyOfBinding(inner, rules);
  const { callbacks } = inner as { readonly callbacks?: Callbacks };
  const quiet = quietCallbacks(callbacks, rules);
  if (quiet === undefined) return inner;
  const copy = rebuild(inner, { callbacks: quiet });
  if (copy !== undefined) return copy;
  throw shapeError("expected a model without handlers of its own, which would see tokens before any rail", inner, HINT);
}

function copyOfBinding(binding: RunnableBinding<unknown, unknown>, rules: Rules): Runnable {
  const inner = quarantineModel(binding.bound, rules);
  const quiet = quietCallbacks(binding.config.callbacks, rules);
  if (inner === binding.bound && quiet === undefined) return binding;
  return bindingAround(binding, inner, quiet === undefined ? binding.config : { ...binding.config, callbacks: quiet });
}

function copyOfSequence(sequence: RunnableSequence, rules: Rules): Runnable {
  const steps = sequence.steps.map((step) => quarantineModel(step, rules));
  if (steps.every((step, index) => step === sequence.steps[index])) return sequence;
  const { name, omitSequenceTags } = sequence as unknown as { name?: string; omitSequenceTags?: boolean };
  return new RunnableSequence({
    first: steps[0] as Runnable,
    middle: steps.slice(1, -1),
    last: steps.at(-1) as Runnable,
    ...omitUndefined({ name, omitSequenceTags }),
  });
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

import { _coerceToRunnable, Runnable, type RunnableFunc } from "@langchain/core/runnables";
import { checkOptions } from "../diagnostics/options.js";
import { checkTrustedKeys } from "./call.js";
import { GuardedChatModel } from "./guarded-chat-model.js";
import { GuardedRunnable, WRAP_OPTIONS, type WrapOptions } from "./guarded-runnable.js";
import { type Host, withUnseen } from "./host.js";
import { adaptModel } from "./models/chat-model.js";
import { WRAP_MODEL_OPTIONS, type WrapModelOptions } from "./models/guarded-model-fields.js";
import { isChatModel, isModel } from "./models/model-traits.js";
import { INNER_HISTORY, warnOnce } from "./one-time-warning.js";
import { shapeError } from "./shape-error.js";

/** @throws InputShapeError for a value that is not a runnable; ConfigError for options that do not apply */
export function wrapRunnable(
  host: Host,
  runnable: Runnable | RunnableFunc<unknown, unknown>,
  options: WrapOptions & WrapModelOptions,
): Runnable {
  if (typeof runnable !== "function" && !Runnable.isRunnable(runnable)) {
    const hint = "pass a model, a chain or a function, and of an agent its `graph`";
    throw shapeError("expected a runnable or a function to wrap", runnable, hint);
  }
  const inner = _coerceToRunnable(runnable) as Runnable;
  const isChat = isChatModel(inner);
  const isText = !isChat && isModel(inner);
  if (isChat) checkOptions("guardrails.wrap(model)", options, WRAP_MODEL_OPTIONS);
  else checkOptions("guardrails.wrap(chain)", options, WRAP_OPTIONS);
  checkTrustedKeys(`guardrails.wrap(${isChat ? "model" : "chain"})`, options);
  const guardHost = withUnseen(host, options.unseen);
  if (host.logger !== undefined && hasHistory(inner)) warnOnce("inner-history", INNER_HISTORY, host.logger);
  if (isChat) return new GuardedChatModel({ inner, ...options, host: guardHost });
  return new GuardedRunnable(guardHost, inner, options, isText ? adaptModel(inner) : undefined);
}

/** Returns true for LangChain's `RunnableWithMessageHistory`. */
function hasHistory(inner: Runnable): boolean {
  return typeof (inner as { readonly getMessageHistory?: unknown }).getMessageHistory === "function";
}

import { GuardrailsError } from "../diagnostics/errors.js";
import type { TurnResult } from "../turn/result.js";

type ThreadStoreCode = "RL-402" | "RL-403" | "RL-404";

/**
 * A conversation could not be read or kept. When the turn had been taken, its reviewed answer is in `result`: nothing
 * that the models said is lost, but the stored conversation does not know of it.
 *
 * `RL-402`: the stored value is not a conversation of this version, or was changed from outside; none of it was used.
 * `RL-403`: another writer stored the conversation meanwhile, so the store refused; that state was kept. `RL-404`: the store
 * failed, its own error is the `cause`.
 *
 * @example
 * ```ts
 * try { return await guardrails.generate(text, {}, { configurable: { thread_id } }); }
 * catch (error) { if (ThreadStoreError.isInstance(error) && error.result) return error.result.text; throw error; }
 * ```
 */
export class ThreadStoreError extends GuardrailsError {
  static override readonly kind: string = "ThreadStoreError";

  readonly thread: string;
  readonly result: TurnResult | undefined;

  constructor(
    message: string,
    options: { code: ThreadStoreCode; thread: string; result?: TurnResult | undefined; cause?: unknown },
  ) {
    super(message, { code: options.code, cause: options.cause });
    this.thread = options.thread;
    this.result = options.result;
  }
}

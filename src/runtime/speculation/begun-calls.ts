import type { RequestKey } from "../../turn/answer.js";
import type { Cancellation } from "../../engine/async.js";

interface Begun {
  readonly key: RequestKey;
  readonly value: unknown;
  readonly cancellation: Cancellation;
}

/** Speculative calls, until the same request takes one over or it is cancelled. */
export class BegunCalls {
  readonly #turn: Cancellation;
  #begun: Begun[] = [];
  readonly #taken: Cancellation[] = [];

  /** @param turn - its end ends everything that was begun */
  constructor(turn: Cancellation) {
    this.#turn = turn;
  }

  begin<Value>(key: RequestKey, start: (signal: AbortSignal) => Value): Value {
    const cancellation = this.#turn.child();
    const value = start(cancellation.signal);
    // INVARIANT: an unused speculative call never surfaces: its rejection is handled.
    if (value instanceof Promise) value.catch(() => undefined);
    this.#begun.push({ key, value, cancellation });
    return value;
  }

  /** Returns the call that was begun for the same request; the signal cancels it from now on too. */
  take<Value>(key: RequestKey, signal: AbortSignal | undefined): { readonly value: Value } | undefined {
    const at = this.#begun.findIndex((begun) => isSameRequest(begun.key, key));
    const [begun] = at < 0 ? [] : this.#begun.splice(at, 1);
    if (begun === undefined) return undefined;
    begun.cancellation.follow(signal);
    this.#taken.push(begun.cancellation);
    return { value: begun.value as Value };
  }

  /** Cancels the calls that were not taken over. */
  discard(): void {
    const begun = this.#begun;
    this.#begun = [];
    for (const { cancellation } of begun) {
      cancellation.abort(new DOMException("what was begun is not needed", "AbortError"));
    }
  }

  /** Ends the rest, and follows no signal any more for work that was taken: the turn is over. */
  close(): void {
    this.discard();
    for (const cancellation of this.#taken.splice(0)) cancellation.release();
  }
}

/**
 * Returns true for equal requests. Plain data is compared by value, anything else, such as a message or a
 * function, by identity.
 */
function isSameRequest(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSameRequest(item, right[index]));
  }
  if (!isPlain(left) || !isPlain(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSameRequest(left[key], right[key]))
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A value, or a promise of it. A value is used at once: awaiting it would cost more than most steps of a turn. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Returns true for anything with a `then`, so that promises of another realm count too. */
export function isPromise<Value>(value: MaybePromise<Value>): value is Promise<Value> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}

/** Calls `onValue` with the value: at once, or when the promise has resolved. (A module that exports `then` is a thenable.) */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  onValue: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return isPromise(value) ? value.then(onValue) : onValue(value);
}

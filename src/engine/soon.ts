/**
 * A value that is there, or will be. Of what is there the next step is taken at once: waiting for it would cost more than
 * most steps of a turn.
 */
export type Soon<Value> = Value | Promise<Value>;

/** Told by what it can do, so that promises of another realm count too. */
export function isLate<Value>(value: Soon<Value>): value is Promise<Value> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}

/** Goes on with a value: at once, or as soon as it is there. */
export function whenThere<Value, Result>(value: Soon<Value>, goOn: (value: Value) => Soon<Result>): Soon<Result> {
  return isLate(value) ? value.then(goOn) : goOn(value);
}

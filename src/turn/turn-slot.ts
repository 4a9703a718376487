import type { Turn } from "./turn.js";

/** A value that one room keeps for each turn, created when it is first read. */
export class TurnSlot<Value> {
  readonly #values = new WeakMap<Turn, Value>();
  readonly #create: (turn: Turn) => Value;

  constructor(create: (turn: Turn) => Value) {
    this.#create = create;
  }

  of(turn: Turn): Value {
    let value = this.#values.get(turn);
    if (value === undefined) this.#values.set(turn, (value = this.#create(turn)));
    return value;
  }
}

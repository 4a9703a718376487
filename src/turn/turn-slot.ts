import type { Turn } from "./turn.js";

/** A value that one room keeps for each turn, created when it is first read. */
export class TurnSlot<Value> {
  readonly #create: (turn: Turn) => Value;

  constructor(create: (turn: Turn) => Value) {
    this.#create = create;
  }

  of(turn: Turn): Value {
    // The turn holds its values itself: a weak map would cost each call more than all that it keeps.
    const slots = (turn.slots ??= new Map());
    let value = slots.get(this) as Value | undefined;
    if (value === undefined) slots.set(this, (value = this.#create(turn)));
    return value;
  }
}

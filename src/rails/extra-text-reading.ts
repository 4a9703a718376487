import { type ExtraText } from "../turn/extra-text.js";
import { joinLines, splitOff } from "../turn/lines.js";
import type { Turn } from "../turn/turn.js";

type Variables = Readonly<Record<string, unknown>>;

/**
 * One text of the user while input rails read it together with its extra lines. INVARIANT: everything after the input
 * rails sees the text alone.
 */
export class ExtraTextReading {
  readonly #turn: Turn;
  readonly #index: number;
  readonly #text: string;
  readonly #lines: ExtraText;

  constructor(turn: Turn, index: number, text: string, lines: ExtraText) {
    this.#turn = turn;
    this.#index = index;
    this.#text = text;
    this.#lines = lines;
  }

  /** The reading of a text; undefined for a text without extra lines. */
  static of(turn: Turn, index: number, text: unknown): ExtraTextReading | undefined {
    const lines = turn.extras.get(index);
    return lines === undefined
      ? undefined
      : new ExtraTextReading(turn, index, typeof text === "string" ? text : "", lines);
  }

  /** Variables as the rails see them. */
  get shown(): Variables {
    const text = joinLines(this.#text, this.#lines.text);
    return { user_message: text, last_user_message: text };
  }

  /** The variables, or the changes of them, with the text and its lines apart again. */
  apart(variables: Variables): Variables {
    const { user_message: joined, last_user_message: last, ...rest } = variables;
    const { main, others } = this.#split(joined);
    this.#turn.extras = new Map(this.#turn.extras).set(this.#index, { ...this.#lines, text: others });
    const taken = others === this.#lines.text ? {} : this.#lines.take(others).variables;
    const spoken = joined === undefined ? {} : { user_message: main };
    return { ...rest, ...spoken, ...(last === undefined ? {} : { last_user_message: main }), ...taken };
  }

  /** Notes for the end of the turn which texts must not stay anywhere. */
  note(joined: unknown, isBlocked: boolean): void {
    const turn = this.#turn;
    const { main, others } = this.#split(joined);
    turn.review("input", this.#text, main);
    if (isBlocked) for (const text of this.#lines.quoted()) turn.reviewed.input.push(text);
    if (others !== this.#lines.text) turn.hidden.push(...this.#lines.take(others).hidden);
  }

  #split(joined: unknown): { readonly main: string; readonly others: string } {
    const { text } = this.#lines;
    return typeof joined === "string" ? splitOff(this.#text, text, joined) : { main: this.#text, others: text };
  }
}

import { locationOf, type Span, spanText } from "../../diagnostics/source-file.js";
import type { Expression } from "../../expressions/ast.js";
import type { Element, ElementPlace, ElementTarget } from "../elements.js";

type WithoutPlace<One> = One extends unknown ? Omit<One, "place"> : never;

/** An instruction before its place is known. */
export type ElementDraft = WithoutPlace<Element>;

/** An address that jumps can name before it is known. */
export class Label {
  #address: number | undefined;

  place(address: number): void {
    this.#address = address;
  }

  /** INVARIANT: read only when the whole flow has been written, and every label of it placed. */
  get address(): number {
    if (this.#address === undefined) throw new RangeError("a label was never placed");
    return this.#address;
  }
}

const MAX_PLACE_TEXT = 120;

/** Collects the instructions of one flow; jumps are resolved at the end. */
export class ElementWriter {
  readonly #drafts: { readonly build: () => ElementDraft; readonly place: number }[] = [];
  readonly #places: ElementPlace[] = [];
  #place = 0;
  #forks = 0;
  #scopes = 0;
  #temporaries = 0;

  /** Sets the place of the instructions that follow. Returns the value for `returnTo`. */
  at(span: Span): number {
    const before = this.#place;
    const text = (spanText(span).split("\n", 1)[0] ?? "").trim().slice(0, MAX_PLACE_TEXT);
    this.#place = this.#places.push({ location: locationOf(span), text }) - 1;
    return before;
  }

  returnTo(place: number): void {
    this.#place = place;
  }

  add(build: () => ElementDraft): void {
    this.#drafts.push({ build, place: this.#place });
  }

  label(label: Label): void {
    label.place(this.#drafts.length);
  }

  goto(label: Label): void {
    this.add(() => ({ kind: "Goto", target: label.address }));
  }

  /** Assigns a value to a variable, or to a part of it. */
  set({ name, path }: ElementTarget, value: Expression): void {
    this.add(() => ({ kind: "Set", target: { name, path }, operator: "=", value }));
  }

  /** Begins one head for each branch; where one fails, it goes on at the label `failed`. */
  beginFork(branches: readonly Label[]): { readonly fork: number; readonly failed: Label } {
    const fork = this.newFork();
    const failed = new Label();
    this.add(() => ({ kind: "PushHandler", target: failed.address }));
    this.add(() => ({ kind: "Fork", fork, targets: branches.map(({ address }) => address) }));
    return { fork, failed };
  }

  /** Ends a fork as failed, with the first head that comes here. */
  failFork(fork: number): void {
    this.add(() => ({ kind: "Merge", fork, failed: true }));
    this.add(() => ({ kind: "Fail", isAbort: false }));
  }

  /** Ends a fork with the first head that comes here. */
  endFork(fork: number): void {
    this.add(() => ({ kind: "Merge", fork, failed: false }));
    this.add(() => ({ kind: "PopHandler" }));
  }

  newFork(): number {
    return this.#forks++;
  }

  newScope(): number {
    return this.#scopes++;
  }

  newTemporary(): string {
    return `%${(this.#temporaries += 1)}`;
  }

  finish(): { readonly elements: readonly Element[]; readonly places: readonly ElementPlace[] } {
    const elements = this.#drafts.map(({ build, place }): Element => ({ ...build(), place }));
    return { elements, places: this.#places };
  }
}

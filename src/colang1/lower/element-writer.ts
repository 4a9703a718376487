import { type SourceLocation, type Span, spanText } from "../../diagnostics/source-file.js";
import type { Statement } from "../ast.js";
import type { Element, ElementOf } from "../elements.js";

/** A jump target; `position` is set once it has been placed. */
export interface JumpLabel {
  position: number | undefined;
}

type WithoutPlace<Kind> = Kind extends Element ? Omit<Kind, "location" | "text"> : never;

/** An element before the writer adds its origin. */
type ElementDraft = WithoutPlace<Element>;

/** The loop that `break` and `continue` refer to. */
interface LoopLabels {
  readonly exit: JumpLabel;
  readonly again: JumpLabel;
}

/** Collects the elements of one flow and resolves jumps at the end. */
export class ElementWriter {
  readonly loops: LoopLabels[] = [];
  /** Builds an element once the end of the flow is known. */
  readonly #drafts: {
    readonly build: (end: number) => ElementDraft;
    readonly origin: Statement;
    readonly span: Span;
  }[] = [];
  readonly #named = new Map<string, JumpLabel>();
  readonly #locate: (span: Span) => SourceLocation;

  constructor(locate: (span: Span) => SourceLocation) {
    this.#locate = locate;
  }

  write(draft: ElementDraft, statement: Statement, span = statement.span): void {
    this.#drafts.push({ build: () => draft, origin: statement, span });
  }

  // An unplaced label is an error reported elsewhere; its jumps end the flow.

  jump(target: JumpLabel, origin: Statement): void {
    const build = (end: number): ElementDraft => ({ kind: "Jump", target: target.position ?? end });
    this.#drafts.push({ build, origin, span: origin.span });
  }

  jumpIfNot(
    condition: ElementOf<"JumpIfNot">["condition"],
    target: JumpLabel,
    origin: Statement,
    span = origin.span,
  ): void {
    const build = (end: number): ElementDraft => ({ kind: "JumpIfNot", condition, target: target.position ?? end });
    this.#drafts.push({ build, origin, span });
  }

  choice(heads: readonly JumpLabel[], origin: Statement): void {
    const build = (end: number): ElementDraft => ({ kind: "Choice", heads: heads.map((head) => head.position ?? end) });
    this.#drafts.push({ build, origin, span: origin.span });
  }

  newLabel(): JumpLabel {
    return { position: undefined };
  }

  /** Returns the label shared by `label name` and `goto name`; the first `label` of a name keeps it. */
  named(name: string): JumpLabel {
    const label = this.#named.get(name) ?? this.newLabel();
    this.#named.set(name, label);
    return label;
  }

  place(label: JumpLabel): void {
    label.position ??= this.#drafts.length;
  }

  /** INVARIANT: `elements` and `origins` are parallel: element `i` was made from the statement `origins[i]`. */
  finish(): { readonly elements: readonly Element[]; readonly origins: readonly Statement[] } {
    const elements = this.#drafts.map(({ build, span }): Element => ({
      ...build(this.#drafts.length),
      location: this.#locate(span),
      text: headLine(span),
    }));
    return { elements, origins: this.#drafts.map(({ origin }) => origin) };
  }
}

const TRAILING_WORD = /\s(?:or|and)$/;

/** Returns the first line of a statement, including its continuation lines. */
function headLine(span: Span): string {
  const text = spanText(span);
  let head = "";
  for (let from = 0, to = 0; to < text.length; from = to + 1) {
    const next = text.indexOf("\n", from);
    to = next === -1 ? text.length : next;
    const line = text.slice(from, to).trim();
    const isContinued = line.endsWith("\\");
    head += `${head && " "}${isContinued ? line.slice(0, -1).trimEnd() : line}`;
    if (!isContinued && !TRAILING_WORD.test(line)) break;
  }
  return head;
}

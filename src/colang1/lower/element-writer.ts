import { locationOf, type SourceLocation, type Span, spanText } from "../../diagnostics/span.js";
import type { Statement } from "../ast.js";
import type { Element } from "../elements.js";

/** A place in the code to jump to, known once it has been put somewhere. */
export interface JumpLabel {
  position: number | undefined;
}

type WithoutPlace<Kind> = Kind extends Element ? Omit<Kind, "location" | "text"> : never;

/** An element before the writer adds where it comes from. */
export type ElementDraft = WithoutPlace<Exclude<Element, { kind: "Jump" | "JumpIfNot" | "Choice" }>>;

interface JumpDraft {
  readonly index: number;
  readonly targets: readonly JumpLabel[];
}

/** The loop that `break` and `continue` belong to. */
export interface LoopLabels {
  readonly exit: JumpLabel;
  readonly again: JumpLabel;
}

/**
 * Collects the elements of one flow and resolves jumps at the end.
 * INVARIANT: `elements` and `origins` run in parallel: `origins[i]` is the statement that element `i` was made from.
 */
export class ElementWriter {
  readonly loops: LoopLabels[] = [];
  readonly #elements: Element[] = [];
  readonly #origins: Statement[] = [];
  readonly #jumps: JumpDraft[] = [];
  readonly #named = new Map<string, JumpLabel>();
  readonly #locate: (span: Span) => SourceLocation;

  constructor(locate: (span: Span) => SourceLocation = locationOf) {
    this.#locate = locate;
  }

  write(draft: ElementDraft, statement: Statement, span: Span = statement.span): void {
    this.#push({ ...draft, location: this.#locate(span), text: headLine(span) } as Element, statement);
  }

  jump(target: JumpLabel, statement: Statement): void {
    this.#jumps.push({ index: this.#elements.length, targets: [target] });
    this.#push({ kind: "Jump", target: 0, ...this.#placeOf(statement.span) }, statement);
  }

  jumpIfNot(
    condition: Extract<Element, { kind: "JumpIfNot" }>["condition"],
    target: JumpLabel,
    statement: Statement,
    span: Span = statement.span,
  ): void {
    this.#jumps.push({ index: this.#elements.length, targets: [target] });
    this.#push({ kind: "JumpIfNot", condition, target: 0, ...this.#placeOf(span) }, statement);
  }

  choice(heads: readonly JumpLabel[], statement: Statement): void {
    this.#jumps.push({ index: this.#elements.length, targets: heads });
    this.#push({ kind: "Choice", heads: [], ...this.#placeOf(statement.span) }, statement);
  }

  newLabel(): JumpLabel {
    return { position: undefined };
  }

  /** The label that `label name` and `goto name` share; the first `label` of a name keeps it. */
  named(name: string): JumpLabel {
    const label = this.#named.get(name) ?? this.newLabel();
    this.#named.set(name, label);
    return label;
  }

  place(label: JumpLabel): void {
    label.position ??= this.#elements.length;
  }

  finish(): { readonly elements: readonly Element[]; readonly origins: readonly Statement[] } {
    const end = this.#elements.length;
    for (const { index, targets } of this.#jumps) {
      // A label that was never placed is an error reported elsewhere; its jumps end the flow.
      const positions = targets.map((target) => target.position ?? end);
      const element = this.#elements[index];
      if (element?.kind === "Choice") this.#elements[index] = { ...element, heads: positions };
      else if (element?.kind === "Jump" || element?.kind === "JumpIfNot") {
        this.#elements[index] = { ...element, target: positions[0] ?? end };
      }
    }
    return { elements: this.#elements, origins: this.#origins };
  }

  #push(element: Element, statement: Statement): void {
    this.#elements.push(element);
    this.#origins.push(statement);
  }

  #placeOf(span: Span): { location: SourceLocation; text: string } {
    return { location: this.#locate(span), text: headLine(span) };
  }
}

/** The first line of a statement, with the lines that it was continued on. */
function headLine(span: Span): string {
  const text = spanText(span);
  let head = "";
  for (let from = 0, to = 0; to < text.length; from = to + 1) {
    const next = text.indexOf("\n", from);
    to = next === -1 ? text.length : next;
    const line = text.slice(from, to).trim();
    const isContinued = line.endsWith("\\");
    head += `${head && " "}${isContinued ? line.slice(0, -1).trimEnd() : line}`;
    if (!isContinued && !/\s(?:or|and)$/.test(line)) break;
  }
  return head;
}

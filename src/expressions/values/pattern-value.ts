import { ObjectValue, type Value } from "./value.js";
import { compilePattern, type Pattern } from "./pattern.js";

/** What `regex` makes. */
export class PatternValue extends ObjectValue {
  readonly typeName = "Pattern";
  readonly source: string;
  readonly pattern: Pattern;

  /** @throws ExpressionError or LimitError when the source is no pattern */
  constructor(source: string) {
    super();
    this.source = source;
    this.pattern = compilePattern(source);
  }

  member(name: string): Value | undefined {
    return name === "pattern" ? this.source : undefined;
  }

  equals(other: Value): boolean {
    return other instanceof PatternValue && other.source === this.source;
  }

  toText(): string {
    return `<Pattern ${this.source}>`;
  }
}

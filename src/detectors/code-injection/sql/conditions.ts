import {
  breaksQuote,
  CERTAIN,
  type Construct,
  HOSTILE,
  isConstantSort,
  isValueStart,
  LIKELY,
  match,
  POSSIBLE,
} from "./construct.js";
import { KIND } from "./keywords.js";
import type { Operand, TokenReader } from "./token-reader.js";

/** `OR 1=1`, `' AND sleep(5)`, `) OR EXISTS (SELECT …`: a condition that is put after a value. */
export const condition: Construct = (reader, at, value) => {
  // `Is 1 = 1 true?` begins a sentence.
  if (at === value.first && reader.kind(at) === KIND.wordOperator) return undefined;
  const left = withArithmetic(reader, reader.operand(afterOpen(reader, at + 1)));
  if (left === undefined) return undefined;
  const isBreak = breaksQuote(reader, at);
  const isNumeric = isValueStart(reader, at, value);
  let comparison = reader.skipComments(left.next);
  if (reader.kind(comparison) === KIND.prefix) comparison = reader.skipComments(comparison + 1);
  const isComparison = reader.kind(comparison) === KIND.comparison || reader.kind(comparison) === KIND.wordOperator;
  const right = isComparison ? withArithmetic(reader, reader.operand(afterOperators(reader, comparison))) : undefined;
  if (right !== undefined) {
    const isConstant = isConstantSort(left) && isConstantSort(right);
    const isEquality = reader.word(comparison) === "=" || reader.word(comparison) === "like";
    const hasComment = reader.isCommentAt(right.next);
    const isAdded =
      isNumeric &&
      ((isConstant && !isInequality(reader, at)) || hasComment || isDecisive(right) || isSystemValue(reader, left));
    if (isBreak || (isConstant && (isEquality || hasComment)) || isAdded) {
      return match(reader, Math.max(0, at - 1), right.next - 1, isBreak || isConstant ? CERTAIN : LIKELY);
    }
    return undefined;
  }
  if (left.sort === "call" && (isBreak || isNumeric || HOSTILE.test(reader.word(left.first)))) {
    return match(reader, Math.max(0, at - 1), left.next - 1, LIKELY);
  }
  const isPattern = /^r(?:like|egexp)$/.test(reader.word(at));
  if (left.sort === "query" && (isBreak || isNumeric || isPattern))
    return match(reader, Math.max(0, at - 1), left.next - 1, LIKELY);
  if (isNumeric && left.sort !== "name" && comparesBefore(reader, at))
    return match(reader, at - 1, left.next - 1, POSSIBLE);
  const hasEnd = reader.isCommentAt(left.next) || reader.isCommentAt(reader.skipClosing(left.next));
  if (hasEnd && (isBreak || isNumeric) && left.sort !== "name")
    return match(reader, Math.max(0, at - 1), left.next, LIKELY);
  return undefined;
};

/** Index after parentheses that only the query around the value closes: `') or ('1'='1`. */
function afterOpen(reader: TokenReader, index: number): number {
  if (reader.kind(index) !== KIND.open) return index;
  const end = reader.afterGroup(index);
  if (reader.kind(end) !== KIND.end || reader.kind(end - 1) === KIND.close) return index;
  let at = index;
  for (let turn = 0; turn < 4 && reader.kind(at) === KIND.open; turn++) at = reader.skipComments(at + 1);
  return reader.kind(at) === KIND.select ? index : at;
}

/** `current_user`, `@version`. */
function isSystemValue(reader: TokenReader, { first }: Operand): boolean {
  return reader.kind(first) === KIND.constant || reader.kind(first) === KIND.variable;
}

/** Returns true for `2 < 3` before an operator, as sums and sentences have it. */
function isInequality(reader: TokenReader, at: number): boolean {
  return reader.kind(at - 2) === KIND.comparison && reader.word(at - 2) !== "=";
}

/** Returns true for `1=1` before an operator. */
function comparesBefore(reader: TokenReader, at: number): boolean {
  return (
    reader.kind(at - 1) === KIND.number &&
    reader.kind(at - 2) === KIND.comparison &&
    reader.kind(at - 3) === KIND.number
  );
}

/** A side of a comparison that sentences do not have. */
function isDecisive({ sort }: Operand): boolean {
  return sort === "call" || sort === "query" || sort === "text";
}

function afterOperators(reader: TokenReader, index: number): number {
  let at = index;
  for (
    let turn = 0;
    turn < 4 && (reader.kind(at) === KIND.comparison || reader.kind(at) === KIND.wordOperator);
    turn++
  ) {
    at = reader.skipComments(at + 1);
  }
  return at;
}

function withArithmetic(reader: TokenReader, first: Operand | undefined): Operand | undefined {
  let left = first;
  for (let turn = 0; turn < 6 && left !== undefined; turn++) {
    const operator = reader.skipComments(left.next);
    const kind = reader.kind(operator);
    if (kind !== KIND.arithmetic && kind !== KIND.star) return left;
    const right = reader.operand(operator + 1);
    if (right === undefined) return left;
    left = { sort: left.sort, first: left.first, next: right.next };
  }
  return left;
}

/** `1-(SELECT …`, `'+@@version`: an operation on a value with a query or a variable. */
export const sum: Construct = (reader, at, value) => {
  const right = reader.operand(at + 1);
  if (right === undefined) return undefined;
  const isForeign = right.sort === "query" || reader.kind(right.first) === KIND.variable;
  if (!isForeign || !(breaksQuote(reader, at) || isValueStart(reader, at, value))) return undefined;
  const isQuery = right.sort === "query" || reader.word(right.first).startsWith("@@");
  return isQuery ? match(reader, Math.max(0, at - 1), right.next - 1, LIKELY) : undefined;
};

/** `' = '`, `x'='x`: a comparison of the text that holds the value. */
export const comparison: Construct = (reader, at, value) => {
  const result = reader.operand(at + 1);
  if (
    (result?.sort === "call" || result?.sort === "query") &&
    reader.kind(at - 1) === KIND.quote &&
    breaksQuote(reader, at)
  ) {
    return match(reader, at - 1, result.next - 1, LIKELY);
  }
  if (reader.kind(at + 1) !== KIND.quote || !breaksQuote(reader, at) || reader.kind(at - 1) !== KIND.quote)
    return undefined;
  if (at - value.first > 24 || reader.text.slice(reader.start(at - 1) - 1, reader.start(at + 1) + 1).length < 3)
    return undefined;
  const right = reader.operand(at + 1);
  const before = reader.kind(at - 2);
  const isPair =
    before === KIND.quote ||
    before === KIND.word ||
    before === KIND.number ||
    before === KIND.close ||
    at - 1 === value.first;
  return right !== undefined && isPair && isQuoteFree(reader, right)
    ? match(reader, at - 1, right.next - 1, POSSIBLE)
    : undefined;
};

function isQuoteFree(reader: TokenReader, { first, next }: Operand): boolean {
  return next - first <= 4 || reader.kind(next) === KIND.end;
}

/** `IF EXISTS (SELECT …` as a value, or after its quote. */
export const exists: Construct = (reader, at, value) =>
  reader.kind(at + 1) === KIND.open &&
  reader.kind(at + 2) === KIND.select &&
  at - value.first < 4 &&
  reader.kind(at - 1) === KIND.condition
    ? match(reader, at, at + 2, LIKELY)
    : undefined;

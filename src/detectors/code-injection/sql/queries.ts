import {
  breaksQuote,
  CERTAIN,
  type Construct,
  isConstantSort,
  isOperandEnd,
  isSelectList,
  isValueStart,
  LIKELY,
  match,
  POSSIBLE,
  type ValueStart,
} from "./construct.js";
import { KIND } from "./keywords.js";
import type { TokenReader } from "./token-reader.js";

/** `UNION [ALL] SELECT` in any number of parentheses, or a `UNION` that ends a value. */
export const unionSelect: Construct = (reader, at) => {
  let next = reader.skipComments(at + 1);
  for (let turn = 0; turn < 24; turn++) {
    const kind = reader.kind(next);
    if (
      kind !== KIND.all &&
      kind !== KIND.open &&
      kind !== KIND.quote &&
      kind !== KIND.close &&
      kind !== KIND.semicolon
    )
      break;
    next = reader.skipComments(next + 1);
  }
  const before = reader.before(at);
  const isAfterValue = before < at - 1 || isOperandEnd(reader, before);
  if (isAfterValue && isRowSource(reader, next)) return match(reader, at, next + 1, CERTAIN);
  if (reader.kind(next) === KIND.select) {
    const after = reader.skipComments(next + 1);
    const isQuery =
      isAfterValue ||
      before < 0 ||
      next > at + 1 ||
      reader.start(after) === reader.end(next) ||
      reader.kind(after) === KIND.open ||
      isSelectList(reader, after);
    return isQuery ? match(reader, at, next, CERTAIN) : undefined;
  }
  return reader.kind(next) === KIND.end && isAfterValue && next > at
    ? match(reader, Math.max(0, before), at, POSSIBLE)
    : undefined;
};

/** `VALUES (…`, `TABLE users`: rows that need no `SELECT`. */
function isRowSource(reader: TokenReader, at: number): boolean {
  const next = reader.skipComments(at + 1);
  if (reader.word(at) === "values") return reader.kind(next) === KIND.open;
  const last = reader.kind(reader.skipComments(next + 1));
  return reader.word(at) === "table" && reader.kind(next) === KIND.word && last === KIND.end;
}

/** A query as a value: `(SELECT …`, or a statement that selects numbers, variables and calls. */
export const query: Construct = (reader, at, value) => {
  const list = reader.skipComments(at + 1);
  const before = reader.kind(at - 1);
  const isNested = before === KIND.open && isNestable(reader, at, value);
  const isWhole = at === value.first || (before === KIND.arithmetic && isValueStart(reader, at, value));
  if (!isNested && !isWhole) return undefined;
  const from = fromOf(reader, list);
  const head = reader.kind(list);
  const hasValues = (isSelectList(reader, list) && head !== KIND.word) || head === KIND.open || reader.isCase(list);
  if (isNested && (from !== undefined || hasValues)) return match(reader, at - 1, from ?? list, LIKELY);
  if (!isWhole || from === undefined)
    return isWhole && hasTrick(reader, list) ? match(reader, at, list, POSSIBLE) : undefined;
  return hasLiteral(reader, list, from) || isSystemTable(reader, from + 1)
    ? match(reader, at, from + 1, POSSIBLE)
    : undefined;
};

function isNestable(reader: TokenReader, at: number, value: ValueStart): boolean {
  let open = at - 1;
  for (let turn = 0; turn < 16 && reader.kind(open) === KIND.open; turn++) open--;
  if (open < value.first) return true;
  const kind = reader.kind(open);
  return isValueStart(reader, open + 1, value) || (kind === KIND.comma && at - value.first < 8);
}

function isSystemTable(reader: TokenReader, at: number): boolean {
  return reader.kind(at) === KIND.systemName && /_|sys/.test(reader.word(at));
}

/** Index of the `from` of a query that names a table rather than a thing of a sentence. */
function fromOf(reader: TokenReader, list: number): number | undefined {
  for (let at = list; at < list + 60; at++) {
    const kind = reader.kind(at);
    if (kind === KIND.end || kind === KIND.semicolon) return undefined;
    if (kind === KIND.from) return reader.kind(at + 1) === KIND.article ? undefined : at;
  }
  return undefined;
}

/** Returns true if a list of columns has a number, a text, a variable or a call for itself. */
function hasLiteral(reader: TokenReader, list: number, from: number): boolean {
  for (let at = list; at < from; at++) {
    const kind = reader.kind(at);
    const isEnd = (index: number): boolean => /[,)]/.test(reader.word(index)) || index >= from;
    if (kind === KIND.number || kind === KIND.variable || kind === KIND.constant) {
      if (isEnd(at + 1) || reader.kind(at + 1) === KIND.variable) return true;
      if (kind === KIND.variable) return true;
    }
    if (kind === KIND.sqlFunction && at > list && reader.kind(at + 1) === KIND.open) return true;
    if (kind === KIND.sqlFunction && isConstantSort(reader.operand(at + 2) ?? { sort: "name", next: 0, first: 0 }))
      return true;
    if (kind === KIND.quote && at === list) return true;
    if (kind === KIND.open && reader.kind(at + 1) !== KIND.word) return true;
  }
  return false;
}

/** Names and numbers in forms that no program writes: `.``1.e.table_name`, `select@x`, `\N`. */
function hasTrick(reader: TokenReader, list: number): boolean {
  const head = reader.text.slice(reader.start(list) - 2, reader.start(list) + 24);
  if (reader.kind(list) === KIND.variable) return true;
  return /^\w[@\\"`{.$]|\.``|\\N|@\w+ \w+$|\.e[.\d]/i.test(head);
}

/** `1 ORDER BY 3`, `1 HAVING 1`, `1 LIMIT 1`: a clause after a value. */
export const clause: Construct = (reader, at, value) => {
  const isBy = reader.kind(at) === KIND.orderOrGroup;
  const by = isBy ? reader.skipComments(at + 1) : at;
  if (isBy && reader.kind(by) !== KIND.by) return undefined;
  const operand = reader.operand(by + 1);
  if (operand === undefined || operand.sort === "name" || !isOperandEnd(reader, reader.before(at))) return undefined;
  if (!breaksQuote(reader, at) && !isValueStart(reader, at, value)) return undefined;
  return match(reader, Math.max(0, at - 1), operand.next - 1, LIKELY);
};

/** `1) FROM users WHERE`: the rest of a statement of its own. */
export const fromWhere: Construct = (reader, at, value) =>
  reader.kind(at - 1) === KIND.close && reader.kind(at + 2) === KIND.where && isValueStart(reader, at, value)
    ? match(reader, at - 1, at + 2, LIKELY)
    : undefined;

/** `CASE 1 WHEN 2 THEN 2 END` of values alone. */
export const caseWhen: Construct = (reader, at, value) => {
  if (!reader.isCase(at) || !isSignsOnly(reader, value.first, at)) return undefined;
  for (let index = at + 2; index < at + 12; index++) {
    if (reader.kind(index) !== KIND.then) continue;
    return reader.kind(index - 1) === KIND.word ? undefined : match(reader, at, index, LIKELY);
  }
  return undefined;
};

/** Returns true if no word stands before an index: signs, numbers, and at most a name and a comma. */
function isSignsOnly(reader: TokenReader, first: number, at: number): boolean {
  return at === first || (at - first < 4 && reader.kind(at - 1) === KIND.open) || isValueStart(reader, at, { first });
}

/** `INTO OUTFILE '…'`. */
export const intoFile: Construct = (reader, at) =>
  reader.kind(reader.skipComments(at + 1)) === KIND.outfile ? match(reader, at, at + 1, CERTAIN) : undefined;

/** `PROCEDURE ANALYSE(`. */
export const analyse: Construct = (reader, at) =>
  reader.word(at - 1) === "procedure" && reader.kind(at + 1) === KIND.open
    ? match(reader, at - 1, at, CERTAIN)
    : undefined;

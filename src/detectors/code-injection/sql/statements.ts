import { CERTAIN, type Construct, HOSTILE, isSelectList, LIKELY, match, POSSIBLE } from "./construct.js";
import { KIND } from "./keywords.js";
import type { TokenReader } from "./token-reader.js";

/** `; DROP TABLE`, `; EXEC xp_cmdshell`: a statement after the one that holds the value. */
export const stacked: Construct = (reader, at) => {
  const verb = reader.skipComments(at + 1);
  const word = reader.word(verb);
  const next = reader.skipComments(verb + 1);
  return isStatement(reader, word, verb, next) ? match(reader, at, next, LIKELY) : undefined;
};

function isStatement(reader: TokenReader, word: string, verb: number, next: number): boolean {
  const kind = reader.kind(next);
  const after = reader.word(next);
  switch (word) {
    case "drop":
    case "create":
    case "alter":
      return kind === KIND.object && reader.kind(next + 1) === KIND.word;
    case "truncate":
    case "backup":
    case "restore":
      return after === "table" || after === "database";
    case "delete":
      return after === "from" || (kind === KIND.object && reader.kind(next + 1) === KIND.from);
    case "insert":
    case "merge":
    case "replace":
      return after === "into";
    case "update":
      return reader.kind(reader.skipComments(next + 1)) === KIND.set && reader.kind(next + 3) === KIND.comparison;
    case "exec":
    case "execute":
      return /^(?:xp_|sp_|master|as|immediate|@)/.test(after) || kind === KIND.open || kind === KIND.quote;
    case "declare":
    case "set":
      return kind === KIND.variable;
    case "select":
      return isSelectList(reader, next) || kind === KIND.sqlFunction || kind === KIND.open;
    case "waitfor":
      return after === "delay" || after === "time";
    case "shutdown":
      return kind === KIND.comment || kind === KIND.semicolon || kind === KIND.end || after === "with";
    case "load":
      return after === "data" || after === "xml" || after === "file";
    case "if":
      return after === "exists" || (kind === KIND.open && reader.kind(reader.skipComments(next + 1)) !== KIND.word);
    case "do":
      return kind === KIND.open;
    case "begin":
      return kind === KIND.statement || kind === KIND.systemName;
    case "grant":
    case "revoke":
      return kind === KIND.all || kind === KIND.select;
    case "copy":
      return reader.word(next + 2) === "program";
    case "print":
    case "call":
    case "attach":
    case "pragma":
    case "handler":
      return (
        after === "database" ||
        kind === KIND.quote ||
        kind === KIND.variable ||
        (kind === KIND.word && reader.kind(next + 1) === KIND.open)
      );
    default:
      return verb < next && /^(?:xp_|sp_|dbms_|utl_)/.test(word);
  }
}

/** `EXEC sp_add_job …`, `DROP TABLE users;`: a statement as a value. */
export const statement: Construct = (reader, at, value) => {
  if (at !== value.first) return undefined;
  const next = reader.skipComments(at + 1);
  const word = reader.word(at);
  if (!/^(?:exec|execute|drop|truncate|delete)$/.test(word) || !isStatement(reader, word, at, next)) return undefined;
  const after = reader.kind(reader.skipComments(next + 2));
  const isWhole = after === KIND.semicolon || after === KIND.end;
  return isWhole || word.startsWith("exec") ? match(reader, at, next, POSSIBLE) : undefined;
};

/** `WAITFOR DELAY '0:0:5'`. */
export const waitFor: Construct = (reader, at) =>
  /^(?:delay|time)$/.test(reader.word(at + 1)) && reader.kind(reader.skipComments(at + 2)) === KIND.quote
    ? match(reader, at, at + 2, CERTAIN)
    : undefined;

/** `benchmark(1000, …`, `pg_sleep(5)`, `if((select …`: a call that a value adds. */
export const call: Construct = (reader, at, value) => {
  const word = reader.word(at);
  const argument = reader.kind(at + 1) === KIND.open ? reader.operand(at + 2) : undefined;
  if (argument === undefined || reader.kind(at - 1) === KIND.dot) return undefined;
  const isHostile = HOSTILE.test(word) && word !== "exp" && word !== "sleep";
  if (isHostile && (argument.sort === "value" || argument.sort === "query" || argument.sort === "text"))
    return match(reader, at, at + 2, LIKELY);
  const isDecided =
    argument.sort === "value" &&
    reader.kind(argument.next) === KIND.comparison &&
    reader.operand(argument.next + 1)?.sort === "value";
  if (isDecided && /^i?if$/.test(word)) return match(reader, at, at + 2, POSSIBLE);
  if (at === value.first && word === "if" && argument.sort !== "name" && reader.kind(argument.next) !== KIND.close)
    return match(reader, at, at + 2, POSSIBLE);
  return undefined;
};

/** `'--`, `')#`, `1/*` at the start of a value: a comment that hides the rest of the statement. */
export const commentEnd: Construct = (reader, at, value) => {
  const isWord = reader.word(at) === "--" && reader.kind(at - 1) === KIND.quote && at - value.first === 2;
  if (isWord && reader.end(at - 1) === reader.start(at)) return match(reader, at - 1, at, POSSIBLE);
  if (!reader.isCommentAt(at)) return undefined;
  let quote = at - 1;
  for (let turn = 0; turn < 8 && (reader.kind(quote) === KIND.close || reader.kind(quote) === KIND.semicolon); turn++)
    quote--;
  if (reader.kind(quote) === KIND.quote && quote >= value.first && isLineEnd(reader, at)) {
    const isQuotedComment = reader.kind(at + 1) === KIND.quote;
    return isQuotedComment || reader.end(at) - reader.start(quote) > 8 ? undefined : match(reader, quote, at, POSSIBLE);
  }
  if (!isNumericValue(reader, value.first, at)) return undefined;
  return match(reader, value.first, at, POSSIBLE);
};

function isLineEnd(reader: TokenReader, at: number): boolean {
  const next = reader.kind(at + 1);
  return (
    next === KIND.end ||
    next === KIND.comment ||
    /^[^\n]{0,3}(?:\n|$)/.test(reader.text.slice(reader.end(at), reader.end(at) + 6))
  );
}

/** Returns true if a number or a variable, or a sum of some, stands between two indexes. */
function isNumericValue(reader: TokenReader, first: number, last: number): boolean {
  if (last <= first || last - first > 12) return false;
  let values = 0;
  for (let index = first; index < last; index++) {
    const kind = reader.kind(index);
    if (kind === KIND.number || kind === KIND.variable || kind === KIND.constant) values++;
    else if (
      kind !== KIND.arithmetic &&
      kind !== KIND.star &&
      kind !== KIND.comparison &&
      kind !== KIND.open &&
      kind !== KIND.close
    )
      return false;
    // A number with letters after it is a name, and dates and codes have no spaces and no operators but signs.
    if (kind === KIND.number && reader.kind(index + 1) === KIND.word) return false;
  }
  return values > 0;
}

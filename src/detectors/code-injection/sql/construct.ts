import type { RuleMatch } from "../../detector.js";
import { KIND } from "./keywords.js";
import type { Operand, TokenReader } from "./token-reader.js";

/** A construct of SQL that text injects, tried at each token of some kinds; `undefined` where it does not stand. */
export type Construct = (reader: TokenReader, at: number, value: ValueStart) => RuleMatch | undefined;

/** Tokens that a value may begin with before an operator, when it is put in a statement as a number or after a quote. */
export interface ValueStart {
  /** Index of the first token of the value. */
  readonly first: number;
}

/** Certainties of constructs. */
export const CERTAIN = 0.95;
export const LIKELY = 0.8;
export const POSSIBLE = 0.65;

/** Functions that only attacks call: they wait, read files, or raise errors that show data. */
export const HOSTILE =
  /^(?:sleep|pg_sleep|benchmark|extractvalue|updatexml|json_keys|elt|make_set|load_file|receive_message|gtid_subset|xmltype|load_extension|randomblob|lo_import|lo_export|pg_read_file|pg_ls_dir|query_to_xml|database_to_xml|xp_cmdshell|fn_listextendedproperty|ctxsys_drithsx|dlookup|generate_series|st_latfromgeohash|exp|row_count|name_const|polygon|multipoint|linestring|geometrycollection)$/;

/** Returns the match of the tokens from `first` to `last`. */
export function match(reader: TokenReader, first: number, last: number, score: number): RuleMatch {
  return { start: reader.start(first), end: Math.max(reader.end(last), reader.start(first) + 1), score };
}

/** Returns true if the token at an index can end an operand. */
export function isOperandEnd(reader: TokenReader, index: number): boolean {
  const kind = reader.kind(index);
  return (
    index >= 0 &&
    (kind === KIND.number ||
      kind === KIND.quote ||
      kind === KIND.close ||
      kind === KIND.variable ||
      kind === KIND.constant)
  );
}

/** Returns true if columns of a query stand at an index, rather than words of a sentence. */
export function isSelectList(reader: TokenReader, index: number): boolean {
  for (let at = index; at < index + 12; at++) {
    const kind = reader.kind(at);
    if (kind === KIND.from) return at > index && reader.kind(at + 1) !== KIND.article;
    if (
      kind === KIND.number ||
      kind === KIND.variable ||
      kind === KIND.constant ||
      kind === KIND.sqlFunction ||
      kind === KIND.star
    ) {
      return at === index || reader.kind(at - 1) === KIND.comma || kind === KIND.sqlFunction;
    }
    if (kind === KIND.quote) return at === index;
    if (kind !== KIND.word && kind !== KIND.comma && kind !== KIND.dot && kind !== KIND.object) return false;
  }
  return false;
}

/** Returns true if a quote before an operator ends a text that the value did not begin: `x' or`, `x') or`. */
export function breaksQuote(reader: TokenReader, at: number): boolean {
  let quote = reader.before(at);
  for (let turn = 0; turn < 8 && reader.kind(quote) === KIND.close; turn++) quote = reader.before(quote);
  if (reader.kind(quote) !== KIND.quote || quote < 0) return false;
  const sign = reader.text.charAt(reader.start(quote));
  // Markdown writes names in backticks; SQL values are never written in them.
  if (sign === "`") return false;
  // An apostrophe within a word, as in `friends' and family`, is followed by words; the condition decides.
  for (let back = quote - 1; back >= 0 && quote - back < 12; back--) {
    if (reader.kind(back) !== KIND.quote || reader.text.charAt(reader.start(back)) !== sign) continue;
    const before = reader.kind(back - 1);
    return !(
      before === KIND.comparison ||
      before === KIND.wordOperator ||
      before === KIND.comma ||
      before === KIND.open ||
      before === KIND.arithmetic
    );
  }
  return true;
}

/** Returns true if only a value stands before an operator: a number, a variable, a name or a quoted text, with signs and parentheses. */
export function isValueStart(reader: TokenReader, at: number, { first }: ValueStart): boolean {
  if (at - first > 24) return false;
  let hasValue = false;
  for (let index = first; index < at; index++) {
    const kind = reader.kind(index);
    if (kind === KIND.word || kind === KIND.systemName) {
      if (hasValue) return false;
      hasValue = true;
    } else if (kind === KIND.number || kind === KIND.variable || kind === KIND.constant || kind === KIND.quote)
      hasValue = true;
    else if (
      kind !== KIND.open &&
      kind !== KIND.close &&
      kind !== KIND.arithmetic &&
      kind !== KIND.prefix &&
      kind !== KIND.comment &&
      kind !== KIND.dot &&
      kind !== KIND.comparison &&
      kind !== KIND.logical &&
      kind !== KIND.star &&
      kind !== KIND.wordOperator &&
      kind !== KIND.sqlFunction
    ) {
      return false;
    }
  }
  return hasValue;
}

export function isConstantSort({ sort }: Operand): boolean {
  return sort === "value" || sort === "text" || sort === "call" || sort === "query";
}

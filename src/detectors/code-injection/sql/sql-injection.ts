import type { RuleMatch, TextRule, TextView } from "../../detector.js";
import { isReadable, mayBeReadable } from "../../readable-view.js";
import type { Construct, ValueStart } from "./construct.js";
import { CONSTRUCTS } from "./constructs.js";
import { KIND } from "./keywords.js";
import { TokenReader } from "./token-reader.js";
import { SqlTokens, tokenizeSql } from "./sql-tokens.js";

/**
 * SQL in a value: the text is read into tokens once, and constructs that change a statement are tried where they can start. They
 * differ from sentences by the kinds of the tokens around them, not by phrases, so that other names and numbers make no difference.
 */
export const SQL_RULE: TextRule = { name: "sql", type: "SQL_INJECTION", score: 0.9, scan: scanSql, reach: 512 };

/** Tokens of the text that is being read. INVARIANT: a scan ends before the next one starts. */
const TOKENS = new SqlTokens();

function scanSql(view: TextView): readonly RuleMatch[] {
  if (!mayBeReadable(view)) return [];
  const { text, folded } = view;
  tokenizeSql(text, folded, TOKENS);
  const reader = new TokenReader(TOKENS, text, folded);
  const found: RuleMatch[] = [];
  let value: ValueStart = { first: 0 };
  for (let at = 0; at < reader.count; at++) {
    // A value begins after a colon, as in JSON and in sentences, and after the quote that opens it there.
    if (reader.isColon(at)) value = { first: reader.kind(at + 1) === KIND.quote ? at + 2 : at + 1 };
    const constructs = CONSTRUCTS[reader.kind(at)];
    if (constructs === undefined) continue;
    const match = firstMatch(constructs, reader, at, value);
    if (match === undefined) continue;
    if (isReadable(view, match.start, match.end)) found.push(match);
    while (reader.start(at + 1) < match.end) at++;
  }
  return found;
}

function firstMatch(
  constructs: readonly Construct[],
  reader: TokenReader,
  at: number,
  value: ValueStart,
): RuleMatch | undefined {
  for (const construct of constructs) {
    const match = construct(reader, at, value);
    if (match !== undefined) return match;
  }
  return undefined;
}

import type { RuleMatch, TextRule, TextView } from "../../detector.js";
import { isReadable } from "../../readable-view.js";
import type { Construct, ValueStart } from "./construct.js";
import { CONSTRUCTS } from "./constructs.js";
import { TokenReader } from "./token-reader.js";
import { SqlTokens, tokenizeSql } from "./sql-tokens.js";

/**
 * SQL in a value: the text is read into tokens once, and constructs that change a statement are tried where they can start. They
 * differ from sentences by the kinds of the tokens around them, not by phrases, so that other names and numbers make no difference.
 */
export const SQL_RULE: TextRule = { name: "sql", type: "SQL_INJECTION", score: 0.9, scan: scanSql, reach: 512 };

const VALUE: ValueStart = { first: 0 };
/** Tokens of the text that is being read. INVARIANT: a scan ends before the next one starts. */
const TOKENS = new SqlTokens();

function scanSql(view: TextView): readonly RuleMatch[] {
  if (!isReadable(view)) return [];
  const { text, folded } = view;
  tokenizeSql(text, folded, TOKENS);
  const reader = new TokenReader(TOKENS, text, folded);
  const found: RuleMatch[] = [];
  for (let at = 0; at < reader.count; at++) {
    const constructs = CONSTRUCTS[reader.kind(at)];
    if (constructs === undefined) continue;
    const match = firstMatch(constructs, reader, at);
    if (match === undefined) continue;
    found.push(match);
    while (reader.start(at + 1) < match.end) at++;
  }
  return found;
}

function firstMatch(constructs: readonly Construct[], reader: TokenReader, at: number): RuleMatch | undefined {
  for (const construct of constructs) {
    const match = construct(reader, at, VALUE);
    if (match !== undefined) return match;
  }
  return undefined;
}

import { suggest } from "../../diagnostics/suggestion.js";

/** First words of flow statements. */
export const STATEMENT_WORDS: ReadonlySet<string> = new Set(
  (
    "user bot event create new infer execute exec run do set if else while when any break continue pass " +
    "return done stop abort label checkpoint goto go check meta priority"
  ).split(" "),
);

export const TOP_LEVEL_WORDS: ReadonlySet<string> = new Set(["define", "def", "import", "include"]);

/** Words reserved by this language or used by others, with hints on what to write instead. */
export const REFUSED_WORDS: ReadonlyMap<string, string> = new Map([
  ["use", "write `import <path>`"],
  ["flow", "write `define flow <name>`; a bare `flow` is Colang 2.x"],
  ["allow", "write a rail that ends with `stop` where something is not allowed"],
  ["accept", "write a rail that ends with `stop` where something is not accepted"],
  ["disallow", "write `bot <message>` and `stop`"],
  ["deny", "write `bot <message>` and `stop`"],
  ["reject", "write `bot <message>` and `stop`"],
  ["context", "set a variable with `$name = value`"],
  ["log", "run an action with `execute <action>`"],
  ["for", "write `while` with a counter"],
  ["foreach", "write `while` with a counter"],
  ["expect", "wait with `user <intent>` or `event <type>`, test with `check <condition>`"],
  ["elif", "write `else if`"],
  ["elseif", "write `else if`"],
  ["elsewhen", "write `else when`"],
  ["or", "write `else when` for one more case, `else if` for one more condition"],
  ["await", "this is Colang 2.x; write `execute <action>` or `do <flow>`"],
  ["match", "this is Colang 2.x; write `event <type>`"],
  ["send", "this is Colang 2.x; write `create event <type>`"],
  ["activate", "this is Colang 2.x; a flow of Colang 1.0 starts by itself when its first line matches"],
  ["start", "this is Colang 2.x; write `execute <action>` or `do <flow>`"],
  ["global", "this is Colang 2.x; all variables are global in Colang 1.0"],
  ["param", "examples hold plain text; read the value in an action"],
  ["entity", "examples hold plain text; read the value in an action"],
  ["attr", "examples hold plain text; read the value in an action"],
]);

/** Returns true for a first word with its own meaning, which never starts a shorthand flow or a bare event type. */
export function isReservedWord(word: string): boolean {
  return STATEMENT_WORDS.has(word) || TOP_LEVEL_WORDS.has(word) || REFUSED_WORDS.has(word);
}

/** Returns the word that was probably meant: in another case, with two letters swapped, or a similar one. */
export function suggestWord(word: string, candidates: Iterable<string>): string | undefined {
  const known = new Set(candidates);
  const lower = word.toLowerCase().slice(0, 40);
  if (lower !== word && known.has(lower)) return lower;
  for (let at = 0; at + 1 < lower.length; at += 1) {
    const exchanged = `${lower.slice(0, at)}${lower[at + 1] ?? ""}${lower[at] ?? ""}${lower.slice(at + 2)}`;
    if (known.has(exchanged)) return exchanged;
  }
  return word.length > 2 ? suggest(word, known) : undefined;
}

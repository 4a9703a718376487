/** A part of a line with the CSS class of its color. */
export interface Piece {
  readonly text: string;
  readonly kind?: "comment" | "string" | "key" | "word" | "variable" | "number";
}

type Kind = NonNullable<Piece["kind"]>;

/** Keywords that start a statement, and keywords inside a statement. */
const OPENINGS =
  "define (?:sub)?flow|define user|define bot|define|flow|user|bot|execute|if|else if|else|elif|or when|when|stop|return|import|match|send|start|await|activate|deactivate|while|for|do|continue|break|goto|label|abort|log|print|pass|priority|global";

const COLANG: readonly (readonly [Kind, string])[] = [
  ["comment", "#.*"],
  ["string", "\"(?:[^\"\\\\]|\\\\.)*\"?|'(?:[^'\\\\]|\\\\.)*'?"],
  ["variable", "\\$[\\p{L}_][\\p{L}\\p{N}_.]*"],
  ["key", "@\\w+"],
  ["word", `(?<=^\\s*)(?:${OPENINGS})(?![\\w])|(?<==\\s*)(?:execute|await|start|match|do)(?![\\w])`],
  ["number", "(?<![\\w.])\\d+(?:\\.\\d+)?(?![\\w])"],
];

const YAML: readonly (readonly [Kind, string])[] = [
  ["comment", "(?<!\\S)#.*"],
  ["key", "(?:\"[^\"]*\"|'[^']*'|[\\w$./-]+(?: [\\w$./-]+)*)(?=\\s*:(?:\\s|$))"],
  ["string", "\"(?:[^\"\\\\]|\\\\.)*\"?|'(?:[^']|'')*'?"],
  ["word", "(?<![\\w-])(?:true|false|null|yes|no)(?![\\w-])"],
  ["number", "(?<![\\w.-])-?\\d+(?:\\.\\d+)?(?![\\w.-])"],
  ["variable", "\\$\\{?[\\w.]+\\}?|[|>][-+]?$"],
];

const MARKDOWN: readonly (readonly [Kind, string])[] = [
  ["key", "^#{1,6} .*"],
  ["string", "`[^`]*`"],
];

const LANGUAGES: readonly (readonly [RegExp, readonly (readonly [Kind, string])[]])[] = [
  [/\.co$/, COLANG],
  [/\.ya?ml$/, YAML],
  [/\.md$/, MARKDOWN],
];

/** Maximum length of a highlighted line, in characters. */
const MAX_LINE = 500;

/** Returns a function that splits a line of the file into highlighted parts. */
export function highlighter(path: string): (line: string) => readonly Piece[] {
  const rules = LANGUAGES.find(([name]) => name.test(path))?.[1];
  if (rules === undefined) return (text) => [{ text }];
  const pattern = new RegExp(rules.map(([, source]) => `(${source})`).join("|"), "gu");
  return (line) => {
    if (line.length > MAX_LINE) return [{ text: line }];
    const pieces: Piece[] = [];
    let at = 0;
    for (const match of line.matchAll(pattern)) {
      if (match[0] === "") continue;
      if (match.index > at) pieces.push({ text: line.slice(at, match.index) });
      const kind = rules[match.slice(1).findIndex((group) => group !== undefined)]?.[0];
      pieces.push(kind === undefined ? { text: match[0] } : { text: match[0], kind });
      at = match.index + match[0].length;
    }
    if (at < line.length) pieces.push({ text: line.slice(at) });
    return pieces;
  };
}

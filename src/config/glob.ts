type Token =
  | { readonly kind: "text"; readonly character: string }
  | { readonly kind: "one" }
  | { readonly kind: "set"; readonly ranges: readonly (readonly [string, string])[]; readonly negated: boolean }
  | { readonly kind: "some" }
  | { readonly kind: "all" };

const MAX_PATTERN_LENGTH = 1000;

/**
 * A shell pattern: `*` any characters but `/`, `**` any characters, `?` one character, `[a-z]` and `[!a-z]` sets.
 * Matching follows all possibilities at once, so its time grows with pattern times text and no pattern can make it hang.
 *
 * @example
 * ```ts
 * compileGlob("drafts/*.co")("drafts/new.co"); // true
 * ```
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  const tokens = tokenize(pattern.slice(0, MAX_PATTERN_LENGTH));
  return (text) => matches(tokens, text);
}

function tokenize(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === "?") tokens.push({ kind: "one" });
    else if (character === "*") {
      const isDouble = pattern.charAt(at + 1) === "*";
      if (isDouble) at += 1;
      tokens.push({ kind: isDouble ? "all" : "some" });
      // `**/` also stands for no folder at all.
      if (isDouble && pattern.charAt(at + 1) === "/" && isSegmentStart(pattern, at - 1)) at += 1;
    } else {
      const set = character === "[" ? readSet(pattern, at) : undefined;
      if (set) at = set.end;
      tokens.push(set?.token ?? { kind: "text", character });
    }
  }
  return tokens;
}

function isSegmentStart(pattern: string, at: number): boolean {
  return at === 0 || pattern.charAt(at - 1) === "/";
}

function readSet(pattern: string, start: number): { token: Token; end: number } | undefined {
  const negated = pattern.charAt(start + 1) === "!";
  const first = start + (negated ? 2 : 1);
  // A `]` that comes first belongs to the set.
  const end = pattern.indexOf("]", first + 1);
  if (end === -1) return undefined;
  const ranges: [string, string][] = [];
  for (let at = first; at < end; at += 1) {
    const low = pattern.charAt(at);
    const isRange = pattern.charAt(at + 1) === "-" && at + 2 < end;
    ranges.push([low, isRange ? pattern.charAt(at + 2) : low]);
    if (isRange) at += 2;
  }
  return { token: { kind: "set", ranges, negated }, end };
}

function matches(tokens: readonly Token[], text: string): boolean {
  let states = closure(new Set([0]), tokens);
  for (const character of text) {
    const next = new Set<number>();
    for (const state of states) {
      const token = tokens[state];
      if (!token || !accepts(token, character)) continue;
      next.add(token.kind === "some" || token.kind === "all" ? state : state + 1);
    }
    if (next.size === 0) return false;
    states = closure(next, tokens);
  }
  return states.has(tokens.length);
}

/** Adds the states that stars lead to without a character. */
function closure(states: Set<number>, tokens: readonly Token[]): Set<number> {
  for (const state of states) {
    const kind = tokens[state]?.kind;
    if (kind === "some" || kind === "all") states.add(state + 1);
  }
  return states;
}

function accepts(token: Token, character: string): boolean {
  switch (token.kind) {
    case "text":
      return token.character === character;
    case "one":
    case "some":
      return character !== "/";
    case "all":
      return true;
    case "set":
      return (
        character !== "/" && token.ranges.some(([low, high]) => low <= character && character <= high) !== token.negated
      );
  }
}

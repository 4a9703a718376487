/** Where the flow waits for the user, in any of the ways to say so. */
const WAITS_FOR_USER =
  /^(?:\$\w+\s*=\s*)?(?:(?:await|match|when|or when)\s+)?(?:user\s+\S|wait user input\b|UtteranceUserAction\b)/;
const AWAITS = /^(?:\$\w+\s*=\s*)?await\s/;
const ARROW = /^(?:await\s+)?([^"'$=]\S.*?)\s*->\s*(\$\w+)$/;

/**
 * A generated body as the generation operator runs it (spec 9.4.7): as far as it can be foreseen. Before the user is waited
 * for, and after something is awaited, the rest is generated when it is known what came of it.
 *
 * @param waiting - the statement that waits for the user
 *
 * @example
 * ```ts
 * continuationBody(['bot ask "Where to?"', "user answers", "bot say \"Fine\""], "wait user input");
 * // ['bot ask "Where to?"', "wait user input", "..."]
 * ```
 */
export function continuationBody(lines: readonly string[], waiting: string): readonly string[] {
  const body: string[] = [];
  for (const line of lines) {
    const statement = line.trim();
    const margin = line.slice(0, line.length - line.trimStart().length);
    if (statement.startsWith("...") && !/^\.\.\.\s*["']/.test(statement)) return [...body, `${margin}...`];
    if (WAITS_FOR_USER.test(statement)) return [...body, `${margin}${waiting}`, `${margin}...`];
    const assigned = ARROW.exec(statement);
    const rewritten = assigned === null ? statement : `${assigned[2]} = await ${assigned[1]}`;
    body.push(margin + rewritten);
    if (AWAITS.test(rewritten)) return [...body, `${margin}...`];
  }
  return body;
}

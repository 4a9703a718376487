/** The two dialects; rails of equal meaning are written in each. */
export type Dialect = "1.0" | "2.x";

export const DIALECTS: readonly Dialect[] = ["1.0", "2.x"];

/** A rail gives a variable to an action; `meta` is what Colang 1.0 writes after the rail's name. */
type Rail = readonly [effect: "block" | "rewrite", variable: string, action: string, meta?: string];

/**
 * Colang of rails that block a text or arguments if their action does not allow them, or replace them by the result of their
 * action. An action is named as Colang 1.0 does: `check_words` is `CheckWordsAction` in 2.x. Without `head`, the refusal and
 * the import of `core` are elsewhere.
 */
export function railFlows(
  dialect: Dialect,
  rails: Readonly<Record<string, Rail>>,
  {
    intent = "refuse",
    text = "REFUSED",
    head = true,
  }: { readonly intent?: string; readonly text?: string; readonly head?: boolean } = {},
): string {
  const flows = Object.entries(rails).map(([name, [effect, variable, action, meta]]) => {
    const call = dialect === "1.0" ? `execute ${action}` : `await ${inPascalCase(action)}Action`;
    const refuse = dialect === "1.0" ? [`bot ${intent}`, "stop"] : [`bot say "${text}"`, "abort"];
    return [
      dialect === "1.0" ? `define subflow ${name}` : `flow ${name}`,
      ...(meta === undefined ? [] : [`  meta ${meta}`]),
      ...(dialect === "1.0" ? [] : [`  global $${variable}`]),
      `  $${effect === "block" ? "allowed" : variable} = ${call}(${variable === "tool_args" ? "args" : "text"}=$${variable})`,
      ...(effect === "block" ? ["  if not $allowed", ...refuse.map((line) => `    ${line}`)] : []),
    ].join("\n");
  });
  const prelude = dialect === "1.0" ? `define bot ${intent}\n  "${text}"` : "import core";
  return `\n${[...(head ? [prelude] : []), ...flows].join("\n\n")}\n`;
}

function inPascalCase(action: string): string {
  return action.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A dialog of Colang 1.0 that responds to a question without a model. */
export const PRICE_DIALOG = `
define user ask price
  "how much is it"
define bot give price
  "Four euros."
define flow price
  user ask price
  bot give price
`;

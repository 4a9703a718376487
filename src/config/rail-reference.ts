/** A rail as it is named in `rails.<stage>.flows`, with its parameters. */
export interface RailReference {
  /** The name of the flow: the text before the parameters. */
  readonly id: string;
  /** By name without the dollar sign; `null` without a value. */
  readonly parameters: ReadonlyMap<string, string | null>;
}

/**
 * Takes a reference such as `content safety check input $model=guard` or `check topic(level="high", depth=2)` apart.
 *
 * @example
 * ```ts
 * parseRailReference("check topic $level=high").id; // "check topic"
 * ```
 */
export function parseRailReference(reference: string): RailReference {
  const paren = reference.indexOf("(");
  const dollar = reference.search(/\s\$/);
  if (paren !== -1 && (dollar === -1 || paren < dollar)) {
    const close = reference.lastIndexOf(")");
    const inside = reference.slice(paren + 1, close > paren ? close : undefined);
    return { id: tidy(reference.slice(0, paren)), parameters: readParameters(inside) };
  }
  if (dollar === -1) return { id: tidy(reference), parameters: new Map() };
  return { id: tidy(reference.slice(0, dollar)), parameters: readParameters(reference.slice(dollar + 1)) };
}

function tidy(name: string): string {
  return name.trim().replace(/\s+/g, " ");
}

/** `a=1, $b="x, y"` and `$a=1 $b=2`: a comma or a dollar sign outside quotes begins the next parameter. */
function readParameters(text: string): Map<string, string | null> {
  const parameters = new Map<string, string | null>();
  let from = 0;
  let quote = "";
  for (let at = 0; at <= text.length; at += 1) {
    const character = text.charAt(at);
    if (quote) {
      if (character === quote) quote = "";
      if (at < text.length) continue;
    } else if (character === '"' || character === "'") {
      quote = character;
      continue;
    }
    const isNext = character === "$" && at > from && /\s/.test(text.charAt(at - 1));
    if (at === text.length || character === "," || isNext) {
      addParameter(parameters, text.slice(from, at));
      from = isNext ? at : at + 1;
    }
  }
  return parameters;
}

function addParameter(parameters: Map<string, string | null>, text: string): void {
  const equals = text.indexOf("=");
  const name = (equals === -1 ? text : text.slice(0, equals)).trim().replace(/^\$/, "").trim();
  if (name === "") return;
  parameters.set(name, equals === -1 ? null : unquote(text.slice(equals + 1).trim()));
}

function unquote(value: string): string {
  const first = value.charAt(0);
  const isQuoted = value.length >= 2 && (first === '"' || first === "'") && value.endsWith(first);
  return isQuoted ? value.slice(1, -1) : value;
}

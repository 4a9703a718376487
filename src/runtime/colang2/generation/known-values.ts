import { oneLine, quoted } from "../../../llm/prompts/interaction-history.js";
import { formatTemplateValue } from "../../../llm/templates/template-value.js";

const MAX_VALUES = 30;
const MAX_LENGTH = 500;
/** What references print as: nothing a model could use. */
const REFERENCE = /^<(?:flow|action|event|Pattern) /;

/**
 * The variables of a flow as assignments, for a model that goes on with it: what tools returned and users answered. Those
 * without a value are left out, and long values are cut.
 *
 * @example
 * ```ts
 * knownValues({ day: "Friday", guests: 2 }); // '$day = "Friday"\n$guests = 2'
 * ```
 */
export function knownValues(variables: Readonly<Record<string, unknown>>): string {
  return Object.entries(variables)
    .filter(
      ([, value]) => value !== null && value !== undefined && !(typeof value === "string" && REFERENCE.test(value)),
    )
    .slice(0, MAX_VALUES)
    .map(([name, value]) => {
      const written = typeof value === "string" ? quoted(value) : oneLine(formatTemplateValue(value));
      return `$${name} = ${written.length > MAX_LENGTH ? `${written.slice(0, MAX_LENGTH)}…` : written}`;
    })
    .join("\n");
}

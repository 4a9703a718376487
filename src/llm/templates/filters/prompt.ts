import type { GuardrailsEvent } from "../../../engine/events.js";
import type { ExpressionDialect } from "../../../expressions/dialect.js";
import type { FunctionDefinition } from "../../../expressions/functions/function-definition.js";
import { hasInteractionLogs, printInteractionHistory } from "../../prompts/interaction-history.js";
import { asData } from "../as-data.js";
import { defineFilter, printed, createTemplateDialect } from "../template-dialect.js";
import { CHAT_FILTERS, CO_V2 } from "./chat.js";
import { LINE_FILTERS, MESSAGE_FILTERS, VERBOSE_FILTERS } from "./messages.js";
import { withSelection } from "./selection.js";
import { STANDARD_FILTERS } from "./standard.js";

/** Prints a conversation in Colang form; each dialect has its own. */
export type HistoryPrinter = (events: readonly GuardrailsEvent[]) => string;

/** A custom filter. Arguments are positional. */
export type UserFilter = (value: unknown, ...parameters: unknown[]) => unknown;

const AS_DATA = defineFilter("as_data", "", (value, _, runtime) => {
  const text = printed(value, runtime);
  runtime.chargeCharacters(text.length);
  return asData(text);
});

/** Creates the dialect of prompts. Custom filters replace built-in ones with the same name. */
export function createPromptDialect(
  printHistory: HistoryPrinter,
  userFilters: Readonly<Record<string, UserFilter>> = {},
): ExpressionDialect {
  const filters = [
    ...STANDARD_FILTERS,
    ...LINE_FILTERS,
    ...VERBOSE_FILTERS,
    ...MESSAGE_FILTERS,
    ...CHAT_FILTERS,
    CO_V2,
    AS_DATA,
    ...colangFilters(printHistory),
  ];
  const own = Object.entries(userFilters).map(([name, filter]) => adaptFilter(name, filter));
  return createTemplateDialect([...withSelection([...filters, ...own]), ...own]);
}

function adaptFilter(name: string, filter: UserFilter): FunctionDefinition {
  const definition = defineFilter(name, "", (value, given) => filter(value, ...given));
  return { ...definition, maximum: Number.POSITIVE_INFINITY };
}

const IDENTIFIERS = /(?:bot|user) (?:intent|action): /g;

/** `colang` and `colang_without_identifiers`: from events to text. */
function colangFilters(printHistory: HistoryPrinter): readonly FunctionDefinition[] {
  const print = (value: unknown): string | undefined => {
    if (!Array.isArray(value)) return undefined;
    const events = value as readonly GuardrailsEvent[];
    return hasInteractionLogs(events) ? printInteractionHistory(events) : printHistory(events);
  };
  return [
    defineFilter("colang", "", (value, _, runtime) => print(value) ?? printed(value, runtime)),
    defineFilter("colang_without_identifiers", "", (value, _, runtime) => {
      return (print(value) ?? printed(value, runtime)).replace(IDENTIFIERS, "");
    }),
  ];
}

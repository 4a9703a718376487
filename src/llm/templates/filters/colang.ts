import type { GuardrailsEvent } from "../../../engine/events.js";
import type { FilterTable } from "../filter.js";
import { hasInteractionLogs, printInteractionHistory } from "../../prompts/interaction-history.js";
import { formatTemplateValue } from "../template-value.js";

/** Writes a conversation in Colang form; each dialect has its own. */
export type HistoryPrinter = (events: readonly GuardrailsEvent[]) => string;

const IDENTIFIERS = /(?:bot|user) (?:intent|action): /g;

/** `colang` and `colang_without_identifiers`: from events to text. */
export function colangFilters(printHistory: HistoryPrinter): FilterTable {
  const print = (value: unknown): string => {
    if (!Array.isArray(value)) return formatTemplateValue(value);
    const events = value as readonly GuardrailsEvent[];
    return hasInteractionLogs(events) ? printInteractionHistory(events) : printHistory(events);
  };
  return {
    colang: print,
    colang_without_identifiers: (value) => print(value).replace(IDENTIFIERS, ""),
  };
}

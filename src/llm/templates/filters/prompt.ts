import type { FilterTable } from "../filter.js";
import { CHAT_FILTERS } from "./chat.js";
import { colangFilters, type HistoryPrinter } from "./colang.js";
import { FLOW_FILTERS } from "./flow-lines.js";
import { LINE_FILTERS } from "./lines.js";
import { MESSAGE_FILTERS } from "./messages.js";
import { STANDARD_FILTERS } from "./standard.js";
import { VERBOSE_FILTERS } from "./verbose.js";

/**
 * The filters prompts may use (spec rails 2.7).
 *
 * @param printHistory - writes events in Colang form
 */
export function promptFilters(printHistory: HistoryPrinter): FilterTable {
  return {
    ...STANDARD_FILTERS,
    ...LINE_FILTERS,
    ...VERBOSE_FILTERS,
    ...MESSAGE_FILTERS,
    ...CHAT_FILTERS,
    ...FLOW_FILTERS,
    ...colangFilters(printHistory),
  };
}

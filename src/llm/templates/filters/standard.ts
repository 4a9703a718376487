import type { FilterTable } from "../filter.js";
import { NUMBER_FILTERS } from "./number.js";
import { SEQUENCE_FILTERS } from "./sequence.js";
import { TEXT_FILTERS } from "./text.js";
import { VALUE_FILTERS } from "./value.js";

/** The filters that message templates and prompts share (spec colang-1 17). */
export const STANDARD_FILTERS: FilterTable = {
  ...TEXT_FILTERS,
  ...SEQUENCE_FILTERS,
  ...NUMBER_FILTERS,
  ...VALUE_FILTERS,
};

import type { TemplateFilter } from "../filter.js";
import { formatTemplateJson, isTruthy } from "../template-value.js";

/** Filters on any value. */
export const VALUE_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  default: (value, args, named) => {
    const whenFalse = args[1] ?? named["boolean"];
    const isMissing = value === undefined || (isTruthy(whenFalse) && !isTruthy(value));
    return isMissing ? (args[0] ?? named["default_value"] ?? "") : value;
  },
  tojson: (value) => formatTemplateJson(value),
};

import type { NamedArguments, TemplateFilter } from "../filter.js";

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const MAX_PLACES = 15;

/** Filters on numbers. Texts that read as a number count as one; anything else gives the default, 0 unless stated. */
export const NUMBER_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  int: (value, args, named) => {
    const number = toNumber(value);
    return number === undefined ? fallback(args, named) : Math.trunc(number);
  },
  float: (value, args, named) => toNumber(value) ?? fallback(args, named),
  round: (value, args, named) => {
    const number = toNumber(value);
    if (number === undefined) return value;
    const places = args[0] ?? named["precision"];
    const method = args[1] ?? named["method"];
    const factor = 10 ** (typeof places === "number" ? Math.max(-MAX_PLACES, Math.min(MAX_PLACES, places)) : 0);
    const scaled = number * factor;
    return (
      (method === "ceil" ? Math.ceil(scaled) : method === "floor" ? Math.floor(scaled) : roundEven(scaled)) / factor
    );
  },
};

function fallback(args: readonly unknown[], named: NamedArguments): unknown {
  return args[0] ?? named["default"] ?? 0;
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "string" && NUMBER.test(value.trim()) ? Number(value) : undefined;
}

/** Halves go to the even neighbour, as in Python. */
function roundEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

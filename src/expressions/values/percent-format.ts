import { escapeCode, toPythonRepr, toPythonText } from "./format.js";
import { applySpec, boundedNumber } from "./format-spec.js";
import { WORK, type Runtime } from "../evaluate/runtime.js";
import { findAllText } from "./text.js";
import { describeType, isList, isMap, readOwn, toValue, type Value } from "./value.js";

const CONVERSION = /%(?:\(([^()]*)\))?([-+ #0]*)(\d+|\*)?(?:\.(\d+|\*))?([a-zA-Z%])?/g;

/**
 * Formats `"%s costs %.2f" % ["tube", 5]`. A list provides one value per conversion, unless there is only one
 * conversion, which takes the list itself. A map is used with `%(name)s`.
 */
export function formatPercent(runtime: Runtime, format: string, right: Value): string {
  // Every conversion starts with its sign, and conversions are counted before any is parsed.
  runtime.charge(findAllText(runtime, format, "%").length * WORK.replacement);
  const conversions = [...format.matchAll(CONVERSION)];
  const positional = conversions.filter((found) => found[5] !== "%" && found[1] === undefined).length;
  const isSpread = isList(right) && positional !== 1;
  const values: readonly Value[] = isSpread ? right : [right];
  let used = 0;
  let text = "";
  let from = 0;
  for (const found of conversions) {
    const [whole, name, flags = "", width, precision, type] = found;
    text += format.slice(from, found.index);
    from = found.index + whole.length;
    if (type === "%" && whole === "%%") {
      text += "%";
      continue;
    }
    if (type === undefined || width === "*" || precision === "*") {
      return runtime.fail(`unknown conversion \`${whole.slice(0, 40)}\` in a format`);
    }
    if (name === undefined && used >= values.length) {
      return runtime.fail("the format needs more values than are given");
    }
    const value = name === undefined ? toValue(values[used++]) : valueOfName(runtime, right, name);
    const piece = convert(runtime, value, type, [flags, width, precision]);
    runtime.checkText(text.length + piece.length, piece.length);
    text += piece;
  }
  const usesNames = conversions.some((found) => found[1] !== undefined);
  if (used < values.length && !usesNames && !isMap(right))
    return runtime.fail("the format uses fewer values than are given");
  text += format.slice(from);
  runtime.checkText(text.length);
  return text;
}

function valueOfName(runtime: Runtime, right: Value, name: string): Value {
  if (!isMap(right)) return runtime.fail(`\`%(${name.slice(0, 40)})\` needs a map, not ${describeType(right)}`);
  const value = readOwn(right, name);
  return value === undefined ? runtime.fail(`the map has no \`${name.slice(0, 40)}\``) : value;
}

function convert(runtime: Runtime, value: Value, type: string, groups: readonly (string | undefined)[]): string {
  const [flags = "", width, precision] = groups;
  const isLeft = flags.includes("-");
  const spec = {
    width: boundedNumber(runtime, width) ?? 0,
    precision: boundedNumber(runtime, precision),
    grouping: "",
    isAlternate: flags.includes("#"),
    sign: flags.includes("+") ? "+" : flags.includes(" ") ? " " : "-",
    align: isLeft ? "<" : "",
    fill: " ",
  };
  if (type === "s" || type === "r" || type === "a") {
    const text = type === "s" ? toPythonText(value, runtime) : toPythonRepr(value, runtime);
    const shown = type === "a" ? toAscii(runtime, text) : text;
    return applySpec(runtime, shown, { ...spec, type: "s", align: isLeft ? "<" : ">" });
  }
  if (type === "c" && typeof value === "string") return applySpec(runtime, value, { ...spec, type: "s" });
  if (typeof value !== "number" && typeof value !== "boolean") {
    return runtime.fail(`the conversion \`%${type}\` needs a number, not ${describeType(value)}`);
  }
  const isPadded = flags.includes("0") && !isLeft;
  const numeric = { ...spec, ...(isPadded ? { fill: "0", align: "=" } : {}) };
  if (type === "d" || type === "i" || type === "u") {
    return applySpec(runtime, Math.trunc(Number(value)), { ...numeric, precision: undefined, type: "d" });
  }
  if (!/[xXobeEfFgGc]/.test(type)) return runtime.fail(`unknown conversion \`%${type}\` in a format`);
  return applySpec(runtime, Number(value), { ...numeric, type });
}

/** Writes everything beyond ASCII as escapes, as `!a` and `%a` need it. */
export function toAscii(runtime: Runtime, text: string): string {
  runtime.chargeCharacters(text.length);
  const escaped = text.replace(/[^\0-\x7f]/gu, (character) => {
    runtime.charge(WORK.replacement);
    return escapeCode(character);
  });
  runtime.checkText(escaped.length);
  return escaped;
}

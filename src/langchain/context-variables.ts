import { toPlainData } from "../engine/plain-data.js";

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const RESERVED = new Set(["config", "event", "constructor", "prototype", "__proto__"]);
const MAX_DEPTH = 16;
const MAX_VALUES = 100_000;
const MAX_CHARACTERS = 16_777_216;

/**
 * The entries of an application's object that can be variables: plain data under a usable name, without instances of
 * classes. The rest is left out, since such an object is not made for the rails.
 */
export function contextVariables(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const context: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const left = { dataDepth: MAX_DEPTH, dataValues: MAX_VALUES, dataCharacters: MAX_CHARACTERS };
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    const isData = property.enumerable === true && Object.hasOwn(property, "value") && property.value !== undefined;
    if (!isData || !VARIABLE.test(key) || RESERVED.has(key)) continue;
    const read = toPlainData(property.value, { limits: left, refuseInstances: true });
    if (!read.ok) continue;
    left.dataValues -= read.size.values;
    left.dataCharacters -= read.size.characters;
    context[key] = read.value;
  }
  return context;
}

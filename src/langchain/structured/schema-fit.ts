import { isObject, type PlainObject } from "../values/message-kinds.js";

/**
 * Whether a value that rails rewrote is still what the schema describes: zod 3, zod 4, any other Standard Schema, or
 * JSON Schema. A schema that turns the value into another one does not accept its own result, so that fails too.
 */
export async function fitsSchema(schema: unknown, value: unknown): Promise<boolean> {
  const parsed = await parseWith(schema, value);
  return parsed !== undefined && sameData(parsed.value, value);
}

async function parseWith(schema: unknown, value: unknown): Promise<{ readonly value: unknown } | undefined> {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return undefined;
  const { "~standard": standard, safeParseAsync } = schema as { "~standard"?: unknown; safeParseAsync?: unknown };
  const validate = isObject(standard) ? standard["validate"] : undefined;
  if (typeof validate === "function") {
    const result = (await validate.call(standard, value)) as { issues?: unknown; value?: unknown };
    return result.issues === undefined ? { value: result.value } : undefined;
  }
  if (typeof safeParseAsync === "function") {
    const result = (await safeParseAsync.call(schema, value)) as { success: boolean; data?: unknown };
    return result.success ? { value: result.data } : undefined;
  }
  const { Validator } = await import("@langchain/core/utils/json_schema");
  const described = schema as PlainObject;
  const json = isObject(described["parameters"]) ? described["parameters"] : described;
  return new Validator(json as ConstructorParameters<typeof Validator>[0]).validate(value).valid
    ? { value }
    : undefined;
}

function sameData(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  if (isCollection(left) && isCollection(right)) return sameData([...left], [...right]);
  const isData = Array.isArray(left) || (left as object).toString === Object.prototype.toString;
  if (!isData) return String(left) === String(right);
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && sameData(Reflect.get(left, key), Reflect.get(right, key)));
}

function isCollection(value: object): value is ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> {
  return value instanceof Map || value instanceof Set;
}

import type { z } from "zod/v4";

/** Finds its way through a schema, so that messages can name the keys that would have been right. */
type Schema = z.core.$ZodType;

/** The schemas a value may have to meet once optional keys, transforms and the like are taken off. */
function unwrap(schema: Schema): Schema[] {
  const definition = (schema as z.core.$ZodTypes)._zod.def;
  switch (definition.type) {
    case "optional":
    case "nullable":
      return unwrap(definition.innerType);
    case "pipe":
      return unwrap(definition.in);
    case "lazy":
      return unwrap(definition.getter());
    case "union":
      return definition.options.flatMap(unwrap);
    default:
      return [schema];
  }
}

function step(schema: Schema, key: PropertyKey): Schema[] {
  return unwrap(schema).flatMap((inner) => {
    const definition = (inner as z.core.$ZodTypes)._zod.def;
    if (definition.type === "array") return typeof key === "number" ? [definition.element] : [];
    if (definition.type !== "object") return [];
    const name = String(key);
    const child = Object.hasOwn(definition.shape, name) ? definition.shape[name] : definition.catchall;
    return child ? [child] : [];
  });
}

/** The keys a map at this path may have. */
export function keysAt(schema: Schema, path: readonly PropertyKey[]): string[] {
  let schemas = [schema];
  for (const key of path) schemas = schemas.flatMap((current) => step(current, key));
  return schemas.flatMap(ownKeys);
}

function ownKeys(schema: Schema): string[] {
  return unwrap(schema).flatMap((inner) => {
    const definition = (inner as z.core.$ZodTypes)._zod.def;
    return definition.type === "object" ? Object.keys(definition.shape) : [];
  });
}

/** The places, outside lists and free maps, where a key of this name exists. */
export function placesOf(schema: Schema, key: string): string[] {
  const places: string[] = [];
  const visit = (current: Schema, path: readonly string[]): void => {
    for (const inner of unwrap(current)) {
      const definition = (inner as z.core.$ZodTypes)._zod.def;
      if (definition.type !== "object") continue;
      for (const [name, child] of Object.entries(definition.shape)) {
        if (name === key) places.push([...path, name].join("."));
        if (path.join(".") !== "rails.config") visit(child, [...path, name]);
      }
    }
  };
  visit(schema, []);
  return places;
}

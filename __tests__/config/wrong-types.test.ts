import { describe, expect, it } from "@jest/globals";

import { checkShape } from "../../src/config/check/shape.js";
import { configJsonSchema } from "../../src/config/schema/json-schema.js";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import { rawFromValue } from "../../src/config/yaml/raw-node.js";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.js";
import { ConfigError } from "../../src/diagnostics/errors.js";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Every place of the schema, with what has to stand around it. */
function wraps(schema: Schema, wrap: (value: unknown) => unknown = (value) => value): ((value: unknown) => unknown)[] {
  if (schema.anyOf) return [wrap, ...schema.anyOf.flatMap((option) => wraps(option, wrap).slice(1))];
  const found = [wrap];
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    found.push(...wraps(child, (value) => wrap({ [key]: value })));
  }
  if (schema.items) found.push(...wraps(schema.items, (value) => wrap([value])));
  if (typeof schema.additionalProperties === "object") {
    found.push(...wraps(schema.additionalProperties, (value) => wrap({ any: value })));
  }
  return found;
}

const VALUES = [null, 7, true, "text", [7], {}, { deep: { er: 1 } }, Number.NaN, () => 1];

/** Messages that speak of our own insides. */
function unclear(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter(
    ({ message, path }) => path === "" || /undefined|\[object|Invalid input|NaN expected/.test(message),
  );
}

describe("a value of any type at any place", () => {
  const places = wraps(configJsonSchema() as Schema);
  const named = VALUES.map((value) => [
    typeof value === "function" ? "a function" : String(JSON.stringify(value)),
    value,
  ]);

  it("sees every place", () => expect(places.length).toBeGreaterThan(300));

  it.each(named)("fits the schema or yields a message: %s", (_, value) => {
    const problems: Diagnostic[] = [];
    for (const place of places) {
      const root = rawFromValue(place(value), problems);
      if (root.kind === "map") problems.push(...checkShape(root).diagnostics);
    }
    expect(unclear(problems)).toEqual([]);
  });

  it.each(named)("is taken or refused when loading: %s", async (_, value) => {
    for (const place of places.filter((_place, index) => index % 30 === 0)) {
      try {
        const { settings } = await loadConfigFromContent({ config: place(value) }, { env: {} });
        expect(Object.isFrozen(settings)).toBe(true);
      } catch (error) {
        if (!ConfigError.isInstance(error)) throw error;
        expect(unclear(error.diagnostics)).toEqual([]);
      }
    }
  });
});

import { z } from "zod/v4";

import { OLD_SPELLINGS } from "../check/old-spellings.js";
import { settingsSchema } from "./zod-schema.js";

const CONFIG_SCHEMA_ID = "urn:langchain-guardrails:config";

interface JsonSchema {
  [key: string]: unknown;
  properties?: Record<string, JsonSchema>;
  anyOf?: JsonSchema[];
}

/**
 * The JSON Schema of a configuration, for completion and checks in YAML editors.
 *
 * @example
 * ```ts
 * await writeFile("guardrails.schema.json", JSON.stringify(configJsonSchema(), null, 2));
 * // and on top of config.yml: # yaml-language-server: $schema=./guardrails.schema.json
 * ```
 */
export function configJsonSchema(): Record<string, unknown> {
  const generated = z.toJSONSchema(settingsSchema(), {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
    reused: "inline",
    // An input schema omits the defaults of transformed fields, but editors show them.
    override: ({ zodSchema, jsonSchema }) => {
      const fallback = z.globalRegistry.get(zodSchema)?.["default"];
      if (fallback !== undefined) (jsonSchema as JsonSchema)["default"] = fallback;
    },
  }) as JsonSchema;
  const { $schema, ...rest } = generated;
  const schema: JsonSchema = {
    $schema,
    $id: CONFIG_SCHEMA_ID,
    title: "Guardrails configuration",
    description: "A configuration of langchain-guardrails, usually `config.yml`.",
    ...rest,
  };
  for (const { old, today, isAlias } of OLD_SPELLINGS) {
    const description = `${isAlias ? "Another name of" : "Old spelling of"} \`${today.join(".")}\`.`;
    addProperty(schema, old, { ...propertyAt(schema, today), description, deprecated: true });
  }
  const nim = ["rails", "config", "jailbreak_detection"];
  const about = { description: "Old spelling of `nim_base_url`.", deprecated: true };
  addProperty(schema, [...nim, "nim_url"], { type: "string", ...about });
  addProperty(schema, [...nim, "nim_port"], { type: ["string", "integer"], ...about });
  return schema;
}

/** Returns the branch with properties: a section that may be empty is a union of an object and null. */
function withProperties(schema: JsonSchema): JsonSchema | undefined {
  return schema.properties ? schema : schema.anyOf?.map(withProperties).find((found) => found !== undefined);
}

function propertyAt(schema: JsonSchema, path: readonly string[]): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>(
    (current, key) => current && withProperties(current)?.properties?.[key],
    schema,
  );
}

function addProperty(schema: JsonSchema, path: readonly string[], property: JsonSchema): void {
  const parent = propertyAt(schema, path.slice(0, -1));
  const owner = parent && withProperties(parent);
  const key = path.at(-1);
  if (owner?.properties && key !== undefined) owner.properties[key] = property;
}

import { mapParts, visitParts } from "../engine/walk.js";

/** Parameters in which callers write texts that the model reads. (It does not read `user` and `metadata`.) */
const DEFINITIONS = ["tools", "tool_choice", "response_format", "prediction"] as const;

type Parameters = Readonly<Record<string, unknown>>;

/** Keywords of JSON Schema and of OpenAI's API. In their position they are not text of the caller. */
const PROTOCOL_WORDS: ReadonlySet<string> = new Set([
  ..."type function name description parameters strict json_schema schema text json_object content auto none required".split(
    " ",
  ),
  "allowed_tools",
  "mode",
  ..."object array string number integer boolean null properties items enum const default title format anyOf allOf".split(
    " ",
  ),
  ..."oneOf not $ref $defs definitions $schema additionalProperties patternProperties minItems maxItems".split(" "),
  ..."minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern multipleOf examples".split(" "),
  "http://json-schema.org/draft-07/schema#",
  "https://json-schema.org/draft/2019-09/schema",
  "https://json-schema.org/draft/2020-12/schema",
]);

const LIMITS = { depth: 64, values: 100_000 };

/** Returns the texts in the tools, schemas and predictions that a request defines, names included. */
export function definitionTexts(parameters: Parameters): readonly string[] {
  if (!DEFINITIONS.some((name) => Object.hasOwn(parameters, name))) return [];
  const texts = new Set<string>();
  const add = (text: unknown): void => {
    if (typeof text === "string" && text !== "" && !PROTOCOL_WORDS.has(text)) texts.add(text);
  };
  for (const name of DEFINITIONS) {
    visitParts(
      parameters[name],
      (part, key) => {
        add(key);
        add(part);
      },
      LIMITS,
    );
  }
  return [...texts];
}

/**
 * Returns the parameters with rewritten texts; undefined if a text has to be removed or a name changes, because that would define
 * another tool or schema.
 */
export function rewriteDefinitions(
  parameters: Parameters,
  changed: ReadonlyMap<string, string | undefined>,
): Parameters | undefined {
  if ([...changed.values()].includes(undefined)) return undefined;
  let isRenamed = false;
  const mapped = DEFINITIONS.flatMap((name) => {
    if (!Object.hasOwn(parameters, name)) return [];
    const rewritten = mapParts(
      parameters[name],
      {
        leaf: (leaf) => (typeof leaf === "string" ? (changed.get(leaf) ?? leaf) : leaf),
        key: (key) => {
          isRenamed ||= changed.has(key);
          return key;
        },
      },
      LIMITS,
    );
    return [[name, rewritten] as const];
  });
  return isRenamed ? undefined : { ...parameters, ...Object.fromEntries(mapped) };
}

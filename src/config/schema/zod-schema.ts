import { z } from "zod/v4";
import { meansTrue } from "./boolean-words.js";
import { BOOLEAN_WORDS, type Description, type Field, once, type Shape } from "./fields.js";
import { type ParsedSettings, settingsField } from "./settings-schema.js";

/** The schema of all settings, for error reports and editors. */
export function settingsSchema(ownRails: readonly string[] = []): z.ZodType<ParsedSettings> {
  return ownRails.length === 0 ? plainSchema() : schemaOf(ownRails);
}

const plainSchema = once(() => schemaOf([]));

const schemaOf = (ownRails: readonly string[]) => toZod(settingsField(ownRails)) as z.ZodType<ParsedSettings>;

/** Schemas are costly to build: loading a valid configuration needs none. */
function toZod({ kind, about }: Field<unknown>): z.ZodType {
  const schema = MAKERS[kind.name](kind as never);
  if (kind.name === "optional") return schema.meta({ description: about, default: kind.fallback });
  return about === undefined ? schema : schema.meta({ description: about });
}

type Makers = { readonly [Name in Description["name"]]: (kind: Extract<Description, { name: Name }>) => z.ZodType };

const MAKERS: Makers = {
  text: ({ pattern, expected }) =>
    pattern === undefined ? z.string() : z.string().regex(pattern, { error: expected }),
  flag: () => z.union([z.boolean(), z.enum(BOOLEAN_WORDS)], { error: "`true` or `false`" }).transform(meansTrue),
  number: ({ unit, isWhole, least, above, greatest }) => {
    let schema = isWhole === true ? z.int() : z.number();
    if (least !== undefined) schema = schema.min(least);
    if (above !== undefined) schema = schema.gt(above);
    if (greatest !== undefined) schema = schema.max(greatest);
    return schema.meta({ "x-unit": unit });
  },
  choice: ({ values }) => z.enum(values as readonly [string, ...string[]]),
  literal: ({ value }) => z.literal(value),
  anything: () => z.unknown(),
  list: ({ items }) => z.array(toZod(items)),
  map: ({ values }) =>
    z
      .object({})
      .catchall(toZod(values))
      .transform((input): Record<string, unknown> => {
        const result: Record<string, unknown> = Object.create(null);
        for (const [key, item] of Object.entries(input)) result[key] = item;
        return result;
      }),
  entry: ({ shape, isOpen }) =>
    isOpen ? z.object(shapeToZod(shape)).catchall(z.unknown()) : z.strictObject(shapeToZod(shape)),
  union: ({ options, expected }) => z.union(options.map(toZod), { error: expected }),
  rewritten: ({ field, rewrite }) => toZod(field).transform((value) => rewrite(value as never)),
  optional: ({ field, fallback }) =>
    toZod(field)
      .nullish()
      .transform((value) => value ?? fallback),
  section: ({ shape, defaults }) =>
    z
      .strictObject(shapeToZod(shape))
      .nullish()
      .transform((value) => value ?? defaults()),
  late: ({ field }) => z.lazy(() => toZod(field())).optional(),
};

function shapeToZod(shape: Shape): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, toZod(field)]));
}

// The reference page of the configuration, generated from its JSON Schema.

const HEAD = `# Configuration

All settings of a configuration. Write them in \`config.yml\` or any other YAML file of the configuration folder, or pass them as
data with \`Guardrails.fromConfig({ config })\`. [Options](options.md) lists the options of the API.

- An absent or empty setting means the default. An unknown key is an error with a suggestion.
- \`models[].type\` is a key of each entry of the list \`models\`. \`<name>\` is a key that you choose.
- Editors complete and check these settings with \`langchain-guardrails/config.schema.json\`.
- Some settings of NeMo Guardrails are listed but not available in this release. Using one is an error (\`CF-109\`, \`CF-121\`).

This page is generated from the schema (\`npm run docs\`).
`;

const MAX_DEFAULT = 60;

/** Returns the page as markdown. */
export function formatConfigurationPage(schema) {
  const general = [];
  const sections = [];
  for (const [key, child] of Object.entries(schema.properties)) {
    const rows = rowsOf(key, child, false);
    if (rows.length === 1) general.push(...rows);
    else if (key !== "rails") sections.push({ title: key, about: child.description, rows });
    else sections.push(...railSections(child));
  }
  const tables = [{ title: "General", rows: general }, ...sections].map(formatSection);
  return `${HEAD}\n${tables.join("\n")}`;
}

function railSections(rails) {
  return Object.entries(objectOf(rails).properties).flatMap(([stage, child]) => {
    const title = `rails.${stage}`;
    if (stage !== "config") return { title, about: child.description, rows: rowsOf(title, child, false) };
    return Object.entries(objectOf(child).properties).map(([rail, settings]) => ({
      title: `${title}.${rail}`,
      about: settings.description,
      rows: rowsOf(`${title}.${rail}`, settings, false),
    }));
  });
}

function formatSection({ title, about, rows }) {
  const name = title === "General" ? title : `\`${title}\``;
  const lines = rows.map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`);
  const table =
    rows.length === 0 ? [] : ["", "| setting | type | unit | default | meaning |", "|---|---|---|---|---|", ...lines];
  return [`## ${name}`, "", ...(about ? [about] : []), ...table, ""].join("\n").replace("\n\n\n", "\n\n");
}

/** Rows of a setting and of everything inside it. */
function rowsOf(path, schema, isRequired) {
  const object = objectOf(schema);
  const isSection = Object.keys(object?.properties ?? {}).length > 0;
  const item = itemOf(schema);
  const value = typeof object?.additionalProperties === "object" ? object.additionalProperties : undefined;
  const own = isSection && schema.default === undefined ? [] : [rowOf(path, schema, isRequired)];
  const required = new Set(object?.required ?? []);
  return [
    ...own,
    ...Object.entries(object?.properties ?? {}).flatMap(([key, child]) =>
      rowsOf(`${path}.${key}`, child, required.has(key)),
    ),
    ...(item && objectOf(item)?.properties ? rowsOf(`${path}[]`, item, true) : []),
    ...(value && objectOf(value)?.properties ? rowsOf(`${path}.<name>`, value, true) : []),
  ];
}

function rowOf(path, schema, isRequired) {
  const notes = [schema.description ?? "", ...(schema.deprecated ? ["Deprecated."] : [])].filter(Boolean).join(" ");
  return [`\`${path}\``, typeOf(schema), unitOf(schema) ?? "", isRequired ? "required" : defaultOf(schema), notes];
}

/** Choices of a schema except for `null`, which means the default everywhere. */
function choicesOf(schema) {
  const choices = schema.anyOf?.flatMap(choicesOf) ?? (Array.isArray(schema.type) ? typesOf(schema) : [schema]);
  return choices.filter(({ type }) => type !== "null");
}

function typesOf(schema) {
  return schema.type.map((type) => ({ ...schema, type }));
}

function objectOf(schema) {
  return choicesOf(schema).find(({ type }) => type === "object");
}

function itemOf(schema) {
  const items = choicesOf(schema).find(({ type }) => type === "array")?.items;
  return items && choicesOf(items).find(({ type }) => type === "object");
}

function unitOf(schema) {
  return choicesOf(schema).find((choice) => choice["x-unit"] !== undefined)?.["x-unit"];
}

function typeOf(schema) {
  const names = choicesOf(schema).map((choice) => nameOf(choice));
  return [...new Set(names.includes("true or false") ? ["true or false"] : names)].join(" or ");
}

function nameOf({
  type,
  enum: values,
  const: constant,
  items,
  additionalProperties,
  minimum,
  maximum,
  exclusiveMinimum,
}) {
  if (values) return values.map((value) => `\`${value}\``).join(", ");
  if (constant !== undefined) return `\`${constant}\``;
  if (type === "boolean") return "true or false";
  if (type === "array") return `list of ${items ? plural(typeOf(items)) : "values"}`;
  if (type === "object") return typeof additionalProperties === "object" ? "map" : "object";
  if (type === "integer" || type === "number") {
    const bounds = [
      ...(minimum === undefined ? [] : [`≥ ${minimum}`]),
      ...(exclusiveMinimum === undefined ? [] : [`> ${exclusiveMinimum}`]),
      ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : [`≤ ${maximum}`]),
    ];
    return [type === "integer" ? "whole number" : "number", ...bounds].join(" ");
  }
  return type === "string" ? "text" : "anything";
}

function plural(name) {
  return { text: "texts", object: "objects", map: "maps", anything: "values" }[name] ?? name;
}

function defaultOf(schema) {
  if (schema.default === undefined) return "";
  const text = JSON.stringify(schema.default);
  if (text === "null") return "unset";
  return text.length > MAX_DEFAULT ? "built in" : `\`${text}\``;
}

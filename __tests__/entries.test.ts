import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";

const GOLDEN = new URL("golden/entries.txt", import.meta.url);

interface Entry {
  readonly name: string;
  readonly source: string;
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** Reads the exports of an entry, a file of `export … from` alone. */
function readEntry(name: string, source: string): Entry {
  const text = readFileSync(source, "utf8").replaceAll(/^\/\/.*$/gm, "");
  const exported = [...text.matchAll(/export (type )?\{([^}]*)\} from "[^"]+";/g)];
  expect(text.replaceAll(/export (?:type )?\{[^}]*\} from "[^"]+";/g, "").trim()).toBe("");
  const names = exported.flatMap(([, type = "", list = ""]) =>
    list
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map((item) => `${type}${item}`.replace("type type ", "type ")),
  );
  const types = names.filter((item) => item.startsWith("type ")).map((item) => item.slice("type ".length));
  return {
    name,
    source,
    values: names.filter((item) => !item.startsWith("type ")).toSorted(),
    types: types.toSorted(),
  };
}

const { exports: targets } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};
const ENTRIES = Object.entries(targets).flatMap(([path, target]) =>
  typeof target === "string"
    ? []
    : [readEntry(`langchain-guardrails${path.slice(1)}`, join("src", target.default.slice(7).replace(/\.js$/, ".ts")))],
);

const describeEntry = ({ name, values, types }: Entry): string =>
  [`# ${name}`, ...values, ...types.map((type) => `type ${type}`), ""].join("\n");

describe("the entries of the package", () => {
  it("export the names listed in golden/entries.txt", () => {
    const actual = ENTRIES.map(describeEntry).join("\n");
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(GOLDEN, actual);
    expect(actual).toBe(readFileSync(GOLDEN, "utf8"));
  });

  it.each(ENTRIES)("$name exports the values that its source lists at run time", async ({ source, values }) => {
    const module = (await import(`../${source.replace(/\.ts$/, ".js")}`)) as object;
    expect(Object.keys(module).toSorted()).toEqual(values);
  });

  it("has at most 40 values and 60 types at the root", () => {
    const root = ENTRIES.find(({ name }) => name === "langchain-guardrails");
    expect(root?.values.length).toBeLessThanOrEqual(40);
    expect(root?.types.length).toBeLessThanOrEqual(60);
  });

  it("exports no value twice", () => {
    const values = ENTRIES.flatMap((entry) => entry.values);
    expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
  });
});

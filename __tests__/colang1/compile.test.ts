import { describe, expect, it } from "@jest/globals";

import { compileColang1 } from "../../src/colang1/compile.js";
import type { CompileFile } from "../../src/colang1/compile-input.js";
import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { readProgramCase } from "./program-case.js";

function fileOf(text: string, origin: CompileFile["origin"] = "root", name = "main.co"): CompileFile {
  return { file: parseColang1(createSourceFile(name, text)).file, origin };
}

describe("compileColang1", () => {
  it("yields no program when there is an error, and all diagnostics", () => {
    const { program, diagnostics } = compileColang1({ files: [fileOf("define flow a\n  user x\n  do b\n  goto c")] });
    expect(program).toBeUndefined();
    expect(diagnostics.filter(isError).map((one) => one.code)).toEqual(["CO-204", "CO-202"]);
  });

  it("hands constants on", () => {
    const constants = { config: { custom_data: { mode: "open" } } };
    expect(compileColang1({ files: [], constants }).program?.constants).toEqual(constants);
  });

  it("is the same for the same input", () => {
    const compile = () => compileColang1({ files: [fileOf("define flow a\n  user x\n  bot y")] }).program;
    expect(compile()).toEqual(compile());
  });

  it("has another hash when anything changes that is not a place", () => {
    const hashOf = (text: string) => compileColang1({ files: [fileOf(text)] }).program?.hash;
    const text = 'define bot y\n  "Y."\ndefine flow a\n  user x\n  bot y\n';
    expect(hashOf(`\n\n${text}`)).toBe(hashOf(text));
    expect(hashOf(text.replace("Y.", "Z."))).not.toBe(hashOf(text));
    expect(hashOf(text.replace("user x", "user z"))).not.toBe(hashOf(text));
    expect(hashOf(`${text}define flow b\n  bot y\n`)).not.toBe(hashOf(text));
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "takes `%s` for a name like any other",
    (name) => {
      const text = `define bot ${name}\n  "text"\ndefine user ${name}\n  "example"\ndefine flow ${name}\n  user ${name}\n  bot ${name}\n  do ${name}`;
      const { program, diagnostics } = compileColang1({ files: [fileOf(text)] });
      expect(diagnostics).toEqual([]);
      expect(Object.entries(program?.botMessages ?? {})).toEqual([[name, ["text"]]]);
      expect(Object.entries(program?.userMessages ?? {})).toEqual([[name, ["example"]]]);
      expect(Object.getPrototypeOf(program?.botMessages)).toBeNull();
    },
  );

  it("reports unknown flows, messages and labels that are names of object properties", () => {
    const { diagnostics } = compileColang1({
      files: [fileOf("define flow a\n  user x\n  do constructor\n  goto toString")],
      rails: { input: [{ text: "__proto__" }] },
    });
    expect(diagnostics.filter(isError).map((one) => one.code)).toEqual(["CO-204", "CO-202", "CO-209"]);
  });

  it("prefers the order of origins to the order of the list", () => {
    const files = [
      fileOf("define flow a\n  user x\n  bot library", "library", "l.co"),
      fileOf("define flow a\n  user x\n  bot root", "root", "r.co"),
    ];
    expect(compileColang1({ files }).program?.flows.map((flow) => flow.location.file)).toEqual(["r.co"]);
  });

  it("compiles what the parser could save of a broken file", () => {
    const { file } = parseColang1(
      createSourceFile("main.co", "define flow a\n  user x\n  if\n    bot y\n  when\n  $x ="),
    );
    expect(() => compileColang1({ files: [{ file, origin: "root" }] })).not.toThrow();
  });

  it("survives deep nesting and long flows", () => {
    const deep = Array.from({ length: 90 }, (_, depth) => `${"  ".repeat(depth + 1)}if $x`).join("\n");
    const text = `define flow a\n${deep}\n${"  ".repeat(92)}bot y\n${"  bot z\n".repeat(2000)}`;
    expect(compileColang1({ files: [fileOf(text)] }).program?.flows[0]?.elements).toHaveLength(2091);
  });

  it("goes through chains of calls without end", () => {
    const links = Array.from({ length: 1000 }, (_, index) => `define subflow f${index}\n  do f${(index + 1) % 1000}`);
    const { input, errors } = readProgramCase(["@input f0", ...links].join("\n"));
    expect(errors).toEqual([]);
    expect(compileColang1(input).program?.flows).toHaveLength(1000);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
// @ts-expect-error a script without types
import { reachableDeclarations } from "../scripts/declarations.mjs";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "declarations-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function declarationsOf(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.d.ts`), text);
  const reached = reachableDeclarations([join(folder, "index.d.ts")]);
  return Object.fromEntries([...reached].map(([path, text]) => [basename(path, ".d.ts"), text]));
}

describe("reachableDeclarations", () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    [
      "keeps what an entry exports, with its comments",
      {
        index: 'export { type Rail } from "./rail.js";\n',
        rail: "/** A rail. */\nexport interface Rail {\n    /** Its name. */\n    name: string;\n}\n/** Internal. */\nexport declare const TABLE: 1;\n",
      },
      {
        index: 'export { type Rail } from "./rail.js";\n',
        rail: "/** A rail. */\nexport interface Rail {\n    /** Its name. */\n    name: string;\n}\n",
      },
    ],
    [
      "drops imports that only dropped declarations use",
      {
        index:
          'import { type A, B } from "./parts.js";\nexport declare function run(a: A): void;\ndeclare const b: B;\n',
        parts: "export interface A {\n}\nexport declare class B {\n}\n",
      },
      {
        index: 'import { type A } from "./parts.js";\nexport declare function run(a: A): void;\n',
        parts: "export interface A {\n}\n",
      },
    ],
    [
      "follows renamed exports, exports of whole files, import types and links in comments",
      {
        index:
          'export { a as b } from "./one.js";\nexport * from "./two.js";\nexport declare const c: import("./three.js").C;\n',
        one: "/** See {@link other}. */\ndeclare const a: 1;\nexport declare const other: 2;\nexport declare const no: 3;\nexport { a };\n",
        two: "export type Two = 2;\ntype Hidden = 3;\n",
        three: "export type C = D;\ntype D = 4;\nexport type E = 5;\n",
      },
      {
        index:
          'export { a as b } from "./one.js";\nexport * from "./two.js";\nexport declare const c: import("./three.js").C;\n',
        one: "/** See {@link other}. */\ndeclare const a: 1;\nexport declare const other: 2;\nexport { a };\n",
        two: "export type Two = 2;\n",
        three: "export type C = D;\ntype D = 4;\n",
      },
    ],
    [
      "keeps all parts of a merged declaration, and what extends another module",
      {
        index: 'export type { M } from "./merged.js";\n',
        merged:
          'export interface M {\n    one: 1;\n}\nexport interface M {\n    two: 2;\n}\ndeclare module "x" {\n    interface Y {\n    }\n}\n',
      },
      {
        index: 'export type { M } from "./merged.js";\n',
        merged:
          'export interface M {\n    one: 1;\n}\nexport interface M {\n    two: 2;\n}\ndeclare module "x" {\n    interface Y {\n    }\n}\n',
      },
    ],
  ])("%s", (_, files, expected) => {
    expect(declarationsOf(files)).toEqual(expected);
  });
});

import { describe, expect, it } from "@jest/globals";

import { compileColang2 } from "../../src/colang2/compile.js";
import { placeOfFiles } from "../../src/colang2/imports/import-place.js";
import { resolveImports, standardModuleNames } from "../../src/colang2/imports/imports.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { spanText } from "../../src/diagnostics/span.js";

const file = createSourceFile;
const flow = (name: string, imports = ""): string => `${imports}flow ${name}\n  pass\n`;

describe("imports", () => {
  it("are found in the configuration first, then in each place, last in the standard library", () => {
    const places = [
      placeOfFiles("the configuration", [file("shop/checkout.co", flow("a")), file("shop/cart.co", flow("b"))]),
      placeOfFiles("/opt/colang", [file("shop.co", flow("never")), file("core.co", flow("own core"))]),
    ];
    const source = file("main.co", 'import shop\nimport core\nimport "timing"\nflow main\n  pass\n');
    const { modules, diagnostics } = resolveImports({ sources: [source], places });
    expect(diagnostics).toEqual([]);
    expect(modules.map(({ name }) => name)).toEqual([
      "shop/checkout.co",
      "shop/cart.co",
      "core.co",
      "timing",
      "main.co",
    ]);
  });

  it("are transitive, loaded once, and may go in circles", () => {
    const places = [
      placeOfFiles("the configuration", [
        file("a.co", flow("a", "import b\n")),
        file("b.co", flow("b", "import a\nimport c\n")),
        file("c.co", flow("c")),
      ]),
    ];
    const { modules } = resolveImports({ sources: [file("main.co", "import a\n")], places });
    expect(modules.map(({ name }) => name)).toEqual(["c.co", "b.co", "a.co", "main.co"]);
  });

  it("that are not found name the places, or what is near (C2-102)", () => {
    const source = file("main.co", 'import shop.cart\nimport tming\nimport "../secret"\nflow main\n  pass\n');
    const { diagnostics } = resolveImports({ sources: [source], places: [placeOfFiles("/opt/colang", [])] });
    expect(diagnostics.map(({ code, span, hint }) => [code, span && spanText(span), hint])).toEqual([
      [
        "C2-102",
        "shop.cart",
        "searched in /opt/colang, the standard library for a directory of that name and for `shop/cart.co`",
      ],
      ["C2-102", "tming", "did you mean `timing`?"],
      ["C2-102", '"../secret"', expect.any(String)],
    ]);
  });

  it("of a configuration are followed like those of a file", () => {
    const { modules } = resolveImports({ sources: [file("main.co", flow("main"))], imports: ["guardrails"] });
    expect(modules.map(({ name }) => name)).toEqual(["core", "guardrails", "main.co"]);
  });

  it("closer definitions override farther ones", () => {
    const text = "import guardrails\n@override\nflow run input rails $input_text\n  abort\nflow main\n  pass\n";
    const { modules } = resolveImports({ sources: [file("main.co", text)] });
    const { program, diagnostics } = compileColang2({ modules });
    expect(diagnostics).toEqual([]);
    expect(program?.flows.find(({ id }) => id === "run input rails")?.module).toBe("main.co");
    expect(program?.flows.find(({ id }) => id === "_bot_say")?.module).toBe("guardrails");
  });
});

describe("the standard library", () => {
  it.each([...standardModuleNames()])("%s compiles without diagnostics", (name) => {
    const source = file("main.co", `import ${name}\nflow main\n  pass\n`);
    const { modules, diagnostics } = resolveImports({ sources: [source] });
    expect(diagnostics).toEqual([]);
    const { program, diagnostics: problems } = compileColang2({ modules });
    expect(problems.map(({ message, span }) => `${message}: ${span && spanText(span)}`)).toEqual([]);
    expect(program?.flows.length).toBeGreaterThan(3);
  });

  it("can be imported whole", () => {
    const text = `${standardModuleNames()
      .map((name) => `import ${name}\n`)
      .join("")}flow main\n  pass\n`;
    const { modules } = resolveImports({ sources: [file("main.co", text)] });
    const { diagnostics } = compileColang2({ modules });
    expect(diagnostics.filter(({ code }) => code !== "C2-304")).toEqual([]);
  });
});

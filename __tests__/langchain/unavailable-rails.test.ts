import { describe, expect, it } from "@jest/globals";
import { DiagnosticError } from "../../src/diagnostics/errors.js";
import { describeUnavailableRail, UNAVAILABLE_RAIL_NAMES } from "../../src/engine/unavailable-rails.js";
import { Guardrails } from "../../src/index.js";
import { LIBRARY_RAILS } from "../../src/library/manifest.js";

async function diagnosticsOf(yaml: string, files: Readonly<Record<string, string>> = {}) {
  const error: unknown = await Guardrails.fromConfig({ yaml, files }).catch((cause: unknown) => cause);
  if (!DiagnosticError.isInstance(error)) throw error;
  return error.diagnostics;
}

const VERSIONS = [
  ["1.0", "CO-209"],
  ["2.x", "CF-110"],
] as const;

describe("rails of NeMo Guardrails that this release does not have", () => {
  it("have no name of a rail that it has", () => {
    const own = LIBRARY_RAILS.flatMap((rail) => rail.flows.map(({ name }) => name));
    expect(own.filter((name) => UNAVAILABLE_RAIL_NAMES.includes(name))).toEqual([]);
    expect(UNAVAILABLE_RAIL_NAMES.length).toBeGreaterThan(70);
  });

  it.each(
    VERSIONS.flatMap(([version, code]) => ["input", "output", "retrieval"].map((stage) => [version, code, stage])),
  )("Colang %s: are refused with %s where they are listed under rails.%s.flows", async (version, code, stage) => {
    const listed = UNAVAILABLE_RAIL_NAMES.map((name) => `      - ${name}\n`).join("");
    const found = await diagnosticsOf(`colang_version: "${version}"\nrails:\n  ${stage}:\n    flows:\n${listed}`);
    expect(found).toHaveLength(UNAVAILABLE_RAIL_NAMES.length);
    for (const [at, name] of UNAVAILABLE_RAIL_NAMES.entries()) {
      expect(found[at]).toMatchObject({
        code,
        path: `rails.${stage}.flows[${at}]`,
        message: `\`${name}\` is a rail of NeMo Guardrails that this release does not have`,
        hint: expect.stringContaining("write it as a flow with an action of your own"),
        span: { source: { name: "config.yml" } },
      });
    }
  });

  it.each(VERSIONS)("Colang %s: are named in %s without their parameters", async (version, code) => {
    const yaml = `colang_version: "${version}"\nrails: {input: {flows: ["content safety check input $strict=1"]}}\n`;
    expect(await diagnosticsOf(yaml)).toMatchObject([
      { code, message: describeUnavailableRail("content safety check input")?.message },
    ]);
  });

  it("are refused where a subflow of Colang 1.0 calls them", async () => {
    const flow = "define subflow guard\n  do llama guard check input\n";
    const [found] = await diagnosticsOf("rails: {input: {flows: [guard]}}\n", { "rails.co": flow });
    expect(found).toMatchObject({ code: "CO-204", ...describeUnavailableRail("llama guard check input") });
  });

  it("are warned of where a flow of Colang 2.x calls them", async () => {
    const flow = "flow guard\n  llama guard check input\n\nflow main\n  match Never()\n";
    const guardrails = await Guardrails.fromConfig({ yaml: 'colang_version: "2.x"\n', files: { "rails.co": flow } });
    expect(guardrails.warnings).toMatchObject([
      { code: "C2-306", ...describeUnavailableRail("llama guard check input") },
    ]);
  });

  it.each(["1.0", "2.x"])("Colang %s: are refused as a step of their own", async (version) => {
    const yaml = `colang_version: "${version}"\nrails: {input: {flows: [self check input]}}\n`;
    const guardrails = await Guardrails.fromConfig({ yaml });
    const error: unknown = await guardrails
      .rail("protect prompt")
      .invoke("hi")
      .catch((cause: unknown) => cause);
    expect((error as DiagnosticError).diagnostics).toMatchObject([describeUnavailableRail("protect prompt")]);
  });

  it.each(["1.0", "2.x"])("Colang %s: may be defined by the configuration", async (version) => {
    const flow = version === "1.0" ? "define subflow protect prompt\n  stop\n" : "flow protect prompt\n  abort\n";
    const yaml = `colang_version: "${version}"\nrails: {input: {flows: [protect prompt]}}\n`;
    await expect(Guardrails.fromConfig({ yaml, files: { "rails.co": flow } })).resolves.toBeDefined();
  });
});

describe("imports of the library of NeMo Guardrails", () => {
  const importing = (path: string) => ({
    "main.co": `import core\nimport ${path}\n\nflow main\n  match Never()\n\nflow guard\n  self check input\n`,
  });

  it.each([
    "nemoguardrails.library",
    "nemoguardrails.library.self_check",
    "nemoguardrails.library.self_check.input_check",
    "nemoguardrails.library.self_check.input_check.flows",
    '"nemoguardrails/library/self_check/input_check"',
    "library.self_check_input",
  ])("import %s brings the rails of this release", async (path) => {
    const guardrails = await Guardrails.fromConfig({ yaml: 'colang_version: "2.x"\n', files: importing(path) });
    expect(guardrails.warnings).toEqual([]);
  });

  it.each([
    "nemoguardrails.library.llama_guard",
    "nemoguardrails.library.jailbreak_detection.flows",
    "nemoguardrails.library.no_such_rail",
  ])("import %s is refused with its place", async (path) => {
    const found = await diagnosticsOf('colang_version: "2.x"\n', importing(path));
    expect(found).toMatchObject([
      { code: "C2-102", hint: expect.stringContaining("does not have the rails of NeMo Guardrails in this module") },
    ]);
    expect(found[0]?.span?.start).toBeGreaterThan(0);
  });
});

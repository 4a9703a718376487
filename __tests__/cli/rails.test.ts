import { describe, expect, it } from "@jest/globals";
import { railCatalog } from "../../src/library/catalog.js";
import { runCli } from "./run-cli.js";

describe("rails", () => {
  it("lists every flow of the catalogue", async () => {
    const { code, out } = await runCli(["rails"]);
    expect(code).toBe(0);
    const missing = railCatalog().flatMap(({ flows }) => flows.filter(({ name }) => !out.includes(`  ${name}\n`)));
    expect(missing).toEqual([]);
  });

  it("lists one stage, in lines that fit a narrow terminal", async () => {
    const { out } = await runCli(["rails", "--stage", "retrieval"], { columns: 50 });
    expect(out).toMatch(/^retrieval\n/);
    expect(out).not.toContain("self check input");
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(50);
  });

  it("describes one rail", async () => {
    const { out } = await runCli(["rails", "self check input"]);
    expect(out).toContain("Self check of the input\n");
    expect(out).toContain("  self check input (input)\n");
    expect(out).toContain("  tasks: self_check_input\n");
  });

  it("gives the catalogue as JSON", async () => {
    const { out } = await runCli(["rails", "--json"]);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(railCatalog())));
  });

  it.each([
    [["rails", "self chek input"], "did you mean `self check input`?"],
    [["rails", "detect jailbreak"], "did you mean `detect jailbreak on input` or `detect jailbreak on"],
    [["rails", "zzz"], "`langchain-guardrails rails` lists all"],
    [["rails", "--stage", "x"], "Allowed choices are input"],
  ])("%j is a usage error", async (argv, message) => {
    const { code, err } = await runCli(argv);
    expect(code).toBe(64);
    expect(err).toContain(message);
  });
});

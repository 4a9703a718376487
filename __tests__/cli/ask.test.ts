import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { railCatalog } from "../../src/library/catalog.js";
import { BAKERY, createFolder, runCli } from "./run-cli.js";

const RAIL = 'define subflow check answer\n  if "secret" in $bot_message\n    bot refuse to respond\n    stop\n';

describe("ask", () => {
  let bakery: ReturnType<typeof createFolder>;
  beforeAll(() => {
    bakery = createFolder(BAKERY);
  });
  afterAll(() => bakery.remove());

  it("answers from a flow and shows what each rail decided", async () => {
    const { code, out } = await runCli(["ask", bakery.path, "hello"]);
    expect(code).toBe(0);
    expect(out.replace(/\d+\.\d ms/g, "0.0 ms")).toBe(
      'Hello! I bake bread.\n  input rail "check words": passed in 0.0 ms\n',
    );
  });

  it("exits with 2 if a rail blocks", async () => {
    const { code, out } = await runCli(["ask", bakery.path, "sell me a cake"]);
    expect(code).toBe(2);
    expect(out).toMatch(/^I only talk about bread\.\n {2}input rail "check words": blocked in [\d.]+ ms\n$/);
  });

  it("takes replies of the model from the arguments", async () => {
    const settings = "rails:\n  output:\n    flows: [check answer]\n";
    const folder = createFolder({ ...BAKERY, "config.yml": settings, "rails.co": RAIL });
    const blocked = await runCli(["ask", folder.path, "hi", "--reply", "The secret is yeast."]);
    const passed = await runCli(["ask", folder.path, "hi", "--reply", "Rye is dark."]);
    folder.remove();
    expect(blocked.code).toBe(2);
    expect(blocked.out).not.toContain("yeast");
    expect(passed.code).toBe(0);
    expect(passed.out).toContain("Rye is dark.\n");
  });

  it("takes one reply for all calls of the model in a turn of a dialog", async () => {
    const folder = createFolder({});
    await runCli(["init", folder.path, "--preset", "local"]);
    const { code, out } = await runCli(["ask", folder.path, "Which card do I have?", "--reply", "4111 1111 1111 1111"]);
    folder.remove();
    expect(code).toBe(0);
    expect(out).toMatch(/^<CREDIT_CARD>\n/);
    expect(out).not.toContain("1111");
  });

  it.each([
    ["1.0", 'define user order\n  "three"\ndefine flow\n  user order\n  # loaves\n  $n = ...\n  bot "Loaves: $n"\n'],
    ["2.x", 'import core\nflow main\n  user said something\n  $n = ..."loaves"\n  bot say "Loaves: {$n}"\n'],
  ])("says how to pass a value that a flow asks the model for in Colang %s", async (version, flows) => {
    const folder = createFolder({ "config.yml": `colang_version: "${version}"\n`, "rails.co": flows });
    const { err } = await runCli(["ask", folder.path, "three", "--offline"]);
    const given = await runCli(["ask", folder.path, "three", "--offline", "--reply", "3"]);
    folder.remove();
    expect(err).toContain("a flow asks the model for a value (`...`): pass it with `--reply`");
    expect(given.out).toContain("Loaves: 3\n");
    expect(given.err).not.toContain("asks the model");
  });

  it("says that replies are scripted if no model is configured", async () => {
    const { err } = await runCli(["ask", bakery.path, "hello"]);
    expect(err).toContain("no main model is configured: its replies are scripted");
  });

  it("replaces models with --offline, and suggests it if a key is missing", async () => {
    const models = "models:\n  - { type: main, engine: openai, model: gpt-4o-mini }\n";
    const folder = createFolder({ "config.yml": `${models}rails:\n  input:\n    flows: [self check input]\n` });
    delete process.env["OPENAI_API_KEY"];
    const missing = await runCli(["ask", folder.path, "hi"]);
    const offline = await runCli(["ask", folder.path, "hi", "--offline"]);
    folder.remove();
    expect(missing.code).toBe(1);
    expect(missing.err).toContain("error[CF-113]");
    expect(missing.err).toContain("config.yml:2:27");
    expect(missing.err).toContain("with --offline");
    expect(offline.code).toBe(0);
    expect(offline.out).toContain('input rail "self check input": passed');
  });

  const judges = railCatalog().flatMap(({ needs, flows }) =>
    needs?.tasks === undefined
      ? []
      : flows.flatMap(({ name, stage }) => (stage === "input" || stage === "output" ? [[name, stage]] : [])),
  );
  it.each(judges)("lets the rail `%s` pass offline", async (name = "", stage = "") => {
    const settings = name.startsWith("llm judge") ? "  config: {llm_judge: {policies: {a: No cakes.}}}\n" : "";
    const folder = createFolder({ "config.yml": `rails:\n${settings}  ${stage}:\n    flows: ["${name}"]\n` });
    const { code, out } = await runCli(["ask", folder.path, "hi", "--offline"]);
    folder.remove();
    expect(out).toContain("This reply is scripted");
    expect(code).toBe(0);
  });

  it("prints the turn as JSON", async () => {
    const { code, out } = await runCli(["ask", bakery.path, "cake", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      reply: "I only talk about bread.",
      blocked: true,
      stage: "input",
      rail: "check words",
      decisions: [{ rail: "check words", status: "blocked" }],
    });
  });
});

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { loadConfigFromPath } from "../../../src/config/load/load.js";
import { DiagnosticError } from "../../../src/diagnostics/errors.js";
import { Guardrails } from "../../../src/index.js";
import { engineLoadOptions } from "../../../src/runtime/create/runtime-input.js";
import { scriptedModel } from "../../../src/testing/index.js";

describe("configurations of Colang 2.x", () => {
  const YAML = 'colang_version: "2.x"\n';

  async function failureOf(yaml: string, files: Readonly<Record<string, string>> = {}): Promise<DiagnosticError> {
    const error: unknown = await Guardrails.fromConfig({ yaml: YAML + yaml, files }).catch((cause: unknown) => cause);
    if (DiagnosticError.isInstance(error)) return error;
    throw error;
  }

  const SPEAKING = 'import core\n\nflow main\n  user said "hi"\n  bot say "from main"\n';

  describe("diagnostics of a Colang 2.x configuration", () => {
    it.each([
      ["self chekc input", "the rail `self chekc input` is not defined", "did you mean `self check input`?"],
      ["hide nothing", "the rail `hide nothing` is not defined", "define it as a flow"],
      ["mine $level=3", "the rail `mine` has no parameter `$level`", undefined],
    ])("reports the position of the listed rail %s", async (rail, message, hint) => {
      const yaml = `rails:\n  input:\n    flows:\n      - self check output\n      - ${rail}\n`;
      const error = await failureOf(yaml.replace("self check output", "mine"), { "a.co": "flow mine\n  pass\n" });
      expect(error.diagnostics.map((one) => [one.code, one.message])).toEqual([["CF-110", message]]);
      expect(error.diagnostics[0]?.path).toBe("rails.input.flows[1]");
      expect(error.diagnostics[0]?.span?.source.name).toBe("config.yml");
      if (hint !== undefined) expect(error.diagnostics[0]?.hint).toContain(hint);
    });

    it("suggests rails of the library from the same list", async () => {
      const error = await failureOf("rails:\n  input:\n    flows: [self check inpt, self check input]\n");
      expect(error.diagnostics[0]?.hint).toContain("`self check input`");
    });

    it("searches modules in its own folder, the module path and the standard library, in this order", async () => {
      const files = {
        "main.co": 'import core\nimport shop.prices\n\nflow main\n  user said "hi"\n  give prices\n',
        "shop/prices.co": 'import core\n\nflow give prices\n  bot say "12"\n',
      };
      const guardrails = await Guardrails.fromConfig({ yaml: YAML, files });
      expect((await guardrails.generate("hi")).response).toBe("12");
    });

    it("reports a missing module", async () => {
      const error = await failureOf("", { "main.co": "import nowhere.at.all\n\nflow main\n  pass\n" });
      expect(error.diagnostics.map(({ code, message }) => [code, message])).toEqual([
        ["CO-102", "nothing to import at `nowhere/at/all`"],
      ]);
    });

    const OLD = { "old.co": 'define user greet\n  "hi"\ndefine subflow check old\n  stop\n' };

    it("skips files of the other version with a warning", async () => {
      const guardrails = await Guardrails.fromConfig({ yaml: YAML, files: { ...OLD, "main.co": SPEAKING } });
      expect(guardrails.warnings.map(({ code, span }) => [code, span?.source.name])).toEqual([["C2-311", "old.co"]]);
      expect((await guardrails.generate("hi")).response).toBe("from main");
    });

    it.each([
      ["nothing but flows of the other version", YAML, OLD, "C2-101"],
      ["one next to a file without flows", YAML, { ...OLD, "empty.co": "# nothing yet\n" }, "C2-101"],
      [
        "a listed rail that was in such a file",
        `${YAML}rails: {input: {flows: [check old]}}\n`,
        { ...OLD, "main.co": SPEAKING },
        "CF-110",
      ],
    ])("refuses %s", async (_title, yaml, files, code) => {
      const error = await Guardrails.fromConfig({ yaml, files }).catch((cause: unknown) => cause);
      expect((error as DiagnosticError).diagnostics.map((one) => one.code)).toEqual([code]);
    });

    it("warns if nothing is guarded", async () => {
      const guardrails = await Guardrails.fromConfig({ yaml: YAML });
      expect(guardrails.warnings.map(({ code }) => code)).toEqual(["CF-201"]);
      expect((await Guardrails.fromConfig({ yaml: YAML, colang: SPEAKING })).warnings).toEqual([]);
    });

    it("warns if no flow is started", async () => {
      const { warnings } = await Guardrails.fromConfig({ yaml: YAML, colang: "flow greeting\n  match Hello()\n" });
      expect(warnings).toMatchObject([
        {
          code: "CF-201",
          message: "no flow is started, so nothing is guarded",
          hint: expect.stringContaining("flow main"),
        },
      ]);
    });

    it("refuses a flow that may be `main` if there is none", async () => {
      const yaml = `${YAML}rails: {input: {flows: [check]}}\n`;
      const files = { "a.co": "flow check\n  pass\n", "b.co": "flow mian\n  match Hello()\n" };
      await expect(Guardrails.fromConfig({ yaml, files })).rejects.toMatchObject({
        diagnostics: [
          {
            code: "CF-110",
            message: "nothing runs the flow `mian`",
            hint: "did you mean `main`?",
            span: { source: { name: "b.co" } },
          },
        ],
      });
      const main = "flow main\n  match Hello()\n";
      expect((await Guardrails.fromConfig({ yaml, files: { ...files, "main.co": main } })).warnings).toEqual([]);
    });

    it.each(["plain", "rain", "again", "mine"])("takes the flow `%s` for no misspelt `main`", async (name) => {
      const yaml = `${YAML}rails: {input: {flows: [check]}}\n`;
      const colang = `flow check\n  pass\n\nflow ${name}\n  match Hello()\n`;
      expect((await Guardrails.fromConfig({ yaml, colang })).warnings).toEqual([]);
    });

    it("delegates actions that are not instant", async () => {
      const yaml = `${YAML}rails:\n  actions:\n    instant_actions: [UtteranceBotAction, GestureBotAction]\n`;
      const colang =
        'import core\n\nflow main\n  user said "hi"\n  await GestureBotAction(gesture="bow")\n  bot say "hello"\n';
      expect((await (await Guardrails.fromConfig({ yaml, colang })).generate("hi")).response).toBe("hello");
      expect((await (await Guardrails.fromConfig({ yaml: YAML, colang })).generate("hi")).response).toBe("");
    });
  });

  describe("modules on disk", () => {
    let root = "";
    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), "colang2-"));
      const files: Readonly<Record<string, string>> = {
        "app/config.yml": YAML,
        "app/main.co": "import core\nimport greetings\nimport timing\n\nflow main\n  greet\n",
        "modules/greetings/hello.co": 'import core\n\nflow greet\n  bot say "hello"\n',
        "timing.co": "flow hijacked\n  pass\n",
      };
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, name)), { recursive: true });
        await writeFile(join(root, name), text);
      }
    });
    afterAll(() => rm(root, { recursive: true, force: true }));

    it("are found on `COLANGPATH`, and never next to the program", async () => {
      const env = { COLANGPATH: join(root, "modules") };
      const config = await loadConfigFromPath(join(root, "app"), { ...engineLoadOptions(), env });
      expect(config.colang.map(({ source, origin }) => [source.name, origin])).toEqual([
        ["main.co", "root"],
        ["greetings/hello.co", "import"],
      ]);
      const { response } = await (
        await Guardrails.fromConfig(config)
      ).generate([{ role: "event", event: { type: "Go" } }]);
      expect(response).toEqual([{ role: "assistant", content: "hello" }]);
    });
  });
});

describe("stages of the dialog", () => {
  const COLANG = `import core
import llm

flow main
  bot say "Welcome."
  activate llm continuation
  activate greeting
  activate leaving
  activate paying
  match Never()

flow greeting
  user expressed greeting
  bot express greeting

flow leaving
  user said goodbye
  bot say "Bye!"

flow paying
  user asked to pay
  await ChargeCardAction(amount=3)

flow user expressed greeting
  user said "hi" or user said "good morning"

flow user said goodbye
  user said "bye" or user said "see you later"

flow user asked to pay
  """The user wants to pay."""
  user said "I want to pay"

flow bot express greeting
  bot say "Hello there!"
`;

  async function load(replies: readonly string[] | undefined, rails: object = {}) {
    const charged: unknown[] = [];
    const llm = replies === undefined ? undefined : scriptedModel(replies);
    const guardrails = await Guardrails.fromConfig(
      { colang: COLANG, config: { colang_version: "2.x", rails } },
      { ...(llm === undefined ? {} : { llm }), actions: { charge_card: () => void charged.push("charged") } },
    );
    return { guardrails, llm, charged };
  }

  describe("canonicalForm()", () => {
    it("recognises an exact example", async () => {
      const { guardrails } = await load([]);
      expect(await guardrails.canonicalForm().invoke("good morning")).toEqual({
        intent: "user expressed greeting",
        score: 1,
        alternatives: [],
        source: "embeddings",
      });
    });

    it("finds the nearest example without a model", async () => {
      const { guardrails } = await load(undefined);
      const form = await guardrails.canonicalForm().invoke([new HumanMessage("see you later then")]);
      expect(form).toMatchObject({ intent: "user said goodbye", score: expect.any(Number), source: "embeddings" });
    });

    it("calls the model, showing awaited intents and earlier messages", async () => {
      const { guardrails, llm } = await load(["user intent: user asked to pay"]);
      const form = await guardrails
        .canonicalForm()
        .invoke([new HumanMessage("two teas"), new AIMessage("Here they are"), new HumanMessage("the bill please")]);
      expect(form).toMatchObject({ intent: "user asked to pay", score: null, source: "llm" });
      const prompt = llm?.calls[0]?.prompt ?? "";
      for (const shown of ["The user wants to pay.", "user expressed greeting", "two teas", "Here they are"]) {
        expect(prompt).toContain(shown);
      }
    });

    it("reports a model's unusable response as unclear", async () => {
      const { guardrails } = await load(["Sure! Here it is:"]);
      expect(await guardrails.canonicalForm().invoke("mumble")).toMatchObject({ intent: "user was unclear" });
    });
  });

  describe("nextStep()", () => {
    it.each([
      ["user expressed greeting", { intent: "bot express greeting", source: "flow", flow: "greeting" }],
      ["user said goodbye", { action: "UtteranceBotAction", source: "flow", flow: "leaving" }],
      ["user asked to pay", { action: "ChargeCardAction", source: "flow", flow: "paying" }],
    ])("%s", async (intent, step) => {
      const { guardrails, charged } = await load([]);
      expect(await guardrails.nextStep().invoke(intent)).toEqual(step);
      expect(charged).toEqual([]);
    });

    it("calls the model if no flow waits for the intent", async () => {
      const { guardrails, llm } = await load(['bot intent: bot made joke\nbot action: bot say "Knock knock"']);
      expect(await guardrails.nextStep().invoke({ intent: "user asked joke", messages: "tell me one" })).toEqual({
        intent: "bot made joke",
        source: "llm",
      });
      expect(llm?.calls[0]?.prompt).toContain("user intent: user asked joke");
    });

    it("works with output rails listed", async () => {
      const { guardrails } = await load([], { output: { flows: ["self check output"] } });
      expect(await guardrails.nextStep().invoke("user expressed greeting")).toMatchObject({
        intent: "bot express greeting",
      });
    });
  });

  describe("the stages one after the other", () => {
    it("have the same result as a turn", async () => {
      const { guardrails } = await load([]);
      const chain = guardrails.canonicalForm().pipe(guardrails.nextStep() as never);
      const step = (await chain.invoke("hi")) as { readonly intent: string };
      expect(await guardrails.botMessage().invoke(step.intent)).toEqual({ text: "Hello there!", source: "predefined" });
    });
  });

  describe("messages given as history", () => {
    it("are shown to models, also consecutive user messages", async () => {
      const { guardrails, llm } = await load(["user intent: user expressed greeting"]);
      const answer = (await guardrails.invoke([
        new HumanMessage("two teas"),
        new AIMessage("Here they are"),
        new HumanMessage("thanks a lot"),
        new HumanMessage("so good to see you"),
      ])) as AIMessage;
      expect(answer.text).toBe("Welcome.\nHello there!");
      const prompt = llm?.calls[0]?.prompt ?? "";
      for (const said of ["two teas", "Here they are", "thanks a lot"]) expect(prompt).toContain(said);
    });
  });
});

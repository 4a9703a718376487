import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { ChatOpenAI } from "@langchain/openai";
import { DiagnosticError } from "../../src/diagnostics/errors.js";
import { Guardrails, GuardrailViolationError, verdictOf } from "../../src/index.js";
import { MemoryThreadStore } from "../../src/langchain/threads.js";
import { scriptedModel, scriptedServer } from "../../src/testing/index.js";
import { realGuardrails, type RealOptions } from "../support/langchain/real-guardrails.js";
import { visibleJson } from "../support/langchain/visible-json.js";

describe("rails of NeMo Guardrails", () => {
  async function diagnosticsOf(yaml: string, files: Readonly<Record<string, string>> = {}) {
    const error: unknown = await Guardrails.fromConfig({ yaml, files }).catch((cause: unknown) => cause);
    if (!DiagnosticError.isInstance(error)) throw error;
    return error.diagnostics;
  }

  describe("imports of the library of NeMo Guardrails", () => {
    const importing = (path: string) => ({
      "main.co": `import core\nimport library.self_check_input\nimport ${path}\n\nflow main\n  match Never()\n\nflow guard\n  self check input\n`,
    });

    it.each([
      "nemoguardrails.library",
      "nemoguardrails.library.self_check",
      "nemoguardrails.library.self_check.input_check",
      "nemoguardrails.library.self_check.input_check.flows",
      '"nemoguardrails/library/self_check/input_check"',
      "library.self_check_input",
      "nemoguardrails.library.sensitive_data_detection",
      "nemoguardrails.library.secrets_detection.flows",
      "nemoguardrails.library.content_safety",
      "nemoguardrails.library.llama_guard.flows",
      "nemoguardrails.library.topic_safety",
      "nemoguardrails.library.jailbreak_detection",
      "nemoguardrails.library.patronusai",
      "nemoguardrails.library.factchecking.align_score",
    ])("import %s provides the rails of this release", async (path) => {
      const guardrails = await Guardrails.fromConfig({ yaml: 'colang_version: "2.x"\n', files: importing(path) });
      expect(guardrails.warnings).toEqual([]);
    });

    it.each(["nemoguardrails.library.no_such_rail.flows", "nemoguardrails.library.no_such_rail"])(
      "import %s is refused with its position",
      async (path) => {
        const found = await diagnosticsOf('colang_version: "2.x"\n', importing(path));
        expect(found).toMatchObject([
          {
            code: "C2-102",
            hint: expect.stringContaining("NeMo Guardrails has no such module"),
          },
        ]);
        expect(found[0]?.span?.start).toBeGreaterThan(0);
      },
    );
  });
});

// Known failures of other guards; leaks of streams and guards concurrent with side effects are tested in other files.
describe("known failures of guards", () => {
  const REFUSED = "REFUSED";
  const JUDGED = {
    rails: { input: { flows: ["self check input"] } },
    prompts: [{ task: "self_check_input", content: "Should this be blocked? {{ user_input }}" }],
  };

  describe("failure 3: blocked turns pollute the history", () => {
    it.each([
      ["a blocked question", "a bad question", []],
      ["a blocked answer", "a nice question", ["a bad answer"]],
    ])("%s stores the refusal in the thread and not the text", async (_, question, answers) => {
      const threads = new MemoryThreadStore();
      const guardrails = await realGuardrails({ threads });
      const model = scriptedModel([...answers, "fine"]);
      const guarded = guardrails.wrap(model);
      const config = { configurable: { thread_id: "t" } };
      const blocked = await guarded.invoke(question, config);
      expect(blocked.text).toBe(REFUSED);
      expect(visibleJson(await threads.get("t"))).not.toContain("bad");
      await guarded.invoke(
        [new HumanMessage(question.replace("bad", "good")), blocked, new HumanMessage("and now?")],
        config,
      );
      expect(model.calls.at(-1)?.prompt).not.toContain("bad");
      expect(verdictOf(blocked)).toMatchObject({ blocked: true });
    });
  });

  describe("failure 5: guards that fail open by default, and swallow their own violations", () => {
    const failing: RealOptions = {
      output: ["check answer"],
      actions: {
        check_words: () => {
          throw new Error("the checker is down");
        },
      },
    };

    it("a rail that fails blocks, as a decision with the status `error`", async () => {
      const guardrails = await realGuardrails(failing);
      const model = scriptedModel([]);
      const result = await guardrails.wrap(model).invoke("hi");
      expect(verdictOf(result)).toMatchObject({ blocked: true, decisions: [{ status: "error", stage: "input" }] });
      expect(model.calls).toHaveLength(0);
      expect((await guardrails.rail("check words").invoke("hi")).status).toBe("error");
    });

    it("only the caller can let it pass, and the verdict still reports it", async () => {
      const guardrails = await realGuardrails({ ...failing, onError: "allow" });
      const result = await guardrails.wrap(scriptedModel(["fine"])).invoke("hi");
      expect(result.text).toBe("fine");
      expect(verdictOf(result)?.decisions.map(({ status }) => status)).toContain("error");
    });

    it("the policy for errors never catches a violation", async () => {
      const guardrails = await realGuardrails({ onError: "allow", onBlocked: "throw" });
      const guarded: Runnable[] = [
        guardrails.wrap(scriptedModel("bad answer")),
        guardrails.wrap(RunnableLambda.from((_q: string) => "bad answer")),
        guardrails.output(),
      ];
      for (const runnable of guarded) {
        await expect(runnable.invoke("bad")).rejects.toThrow(GuardrailViolationError);
      }
      expect((await realGuardrails({ onError: "allow" }).then((own) => own.check("bad"))).status).toBe("blocked");
    });
  });

  describe("failure 6: hidden costs of guards", () => {
    it("the verdict reports the usage of each judge call, and the response keeps its own", async () => {
      await using server = await scriptedServer([
        { text: "No", usage: { prompt: 90, completion: 1 } },
        { text: "fine", usage: { prompt: 5, completion: 2 } },
      ]);
      const llm = new ChatOpenAI({ model: "gpt-4o", apiKey: "none", configuration: { baseURL: server.url } });
      const guardrails = await Guardrails.fromConfig({ config: JUDGED }, { llm });
      const result = await guardrails.wrap(llm).invoke("hi");
      expect(verdictOf(result)?.decisions).toMatchObject([{ usage: { input_tokens: 90, output_tokens: 1 } }]);
      expect(result.usage_metadata).toMatchObject({ input_tokens: 5, output_tokens: 2 });
    });
  });

  describe("failure 7: judges are slow and noisy", () => {
    it("a judge is called for a few tokens at the lowest temperature, without reasons", async () => {
      await using server = await scriptedServer(["No", "fine"]);
      const llm = new ChatOpenAI({ model: "gpt-4o", apiKey: "none", configuration: { baseURL: server.url } });
      const config = { ...JUDGED, prompts: JUDGED.prompts.map((prompt) => ({ ...prompt, max_tokens: 3 })) };
      const guardrails = await Guardrails.fromConfig({ config }, { llm });
      await guardrails.wrap(llm).invoke("hi");
      const [judge, main] = server.requests.map(({ body }) => body);
      expect(judge?.["temperature"]).toBeLessThanOrEqual(0.001);
      expect(judge?.["max_tokens"] ?? judge?.["max_completion_tokens"]).toBe(3);
      expect(judge).not.toHaveProperty("response_format");
      expect(main).not.toHaveProperty("max_tokens");
    });

    it("no judge is called for a text that a cheap rail before it blocked", async () => {
      const judge = scriptedModel(["No"]);
      const guardrails = await realGuardrails({
        input: ["check words", "self check input"],
        output: [],
        models: { self_check_input: judge },
      });
      const guarded = guardrails.wrap(scriptedModel(["fine"]));
      expect((await guarded.invoke("bad")).text).toBe(REFUSED);
      expect(judge.calls).toHaveLength(0);
      expect((await guarded.invoke("nice")).text).toBe("fine");
      expect(judge.calls).toHaveLength(1);
    });
  });

  describe("failure 8: a refusal looks like any other response", () => {
    it("each result carries the verdict as data, and a response with the same text does not", async () => {
      const guardrails = await realGuardrails();
      const refused = await guardrails.wrap(scriptedModel("bad")).invoke("hi");
      const said = await guardrails.wrap(scriptedModel(REFUSED)).invoke("hi");
      expect([refused.text, said.text]).toEqual([REFUSED, REFUSED]);
      expect([refused, said].map((message) => verdictOf(message)?.blocked)).toEqual([true, false]);
      const answers = [new AIMessage("bad"), new AIMessage(REFUSED)];
      const checked = await Promise.all(answers.map((answer) => guardrails.check(answer)));
      expect(checked.map(({ status }) => status)).toEqual(["blocked", "passed"]);
    });
  });
});

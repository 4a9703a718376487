import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { ActionContext } from "../../src/actions/action.js";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import { GuardrailsApp } from "../../src/runtime/create/app.js";
import { createRuntime } from "../../src/runtime/create/create-runtime.js";
import type { TurnMessage } from "../../src/turn/options.js";
import { silentTracker } from "../../src/turn/run-tracker.js";
import { openBench } from "./bench.js";

const user = (content: string): TurnMessage[] => [{ role: "user", content }];

const DIALOG = `
define user greet
  "hello"
  "good morning"
define user ask price
  "what does it cost"
define bot hi
  "Hi $name."
define flow greeting
  user greet
  bot hi
define flow pricing
  user ask price
  $price = execute price
  bot inform price
define flow two
  event Two
  bot hi
  user greet
  bot hi
define subflow asking
  bot hi
  user greet
define subflow failing
  $x = 1 + "a"
define subflow stopping
  bot hi
  stop
`;
const yaml = "rails: {dialog: {single_call: {enabled: false}}}";

describe("one flow alone", () => {
  it.each([
    ["greeting", "finished", ["Hi Mina."]],
    ["two", "waiting", ["Hi Mina."]],
    ["stopping", "stopped", ["Hi Mina."]],
  ])("`%s` is %s", async (flow, status, texts) => {
    const { runtime } = await openBench({ colang: DIALOG, yaml });
    const result = await runtime.runFlow(flow, user("hello"), { name: "Mina" });
    expect([result.status, result.messages.map(({ content }) => content)]).toEqual([status, texts]);
    expect(result.variables).toMatchObject({ name: "Mina", user_message: "hello" });
  });

  it("that fails reports it", async () => {
    const { runtime } = await openBench({ colang: DIALOG, yaml });
    expect((await runtime.runFlow("failing", user("hello"), {})).status).toBe("failed");
  });

  it("that does not exist is named", async () => {
    const { runtime } = await openBench({ colang: DIALOG, yaml });
    await expect(runtime.runFlow("greting", [], {})).rejects.toMatchObject({ code: "CO-204" });
  });

  it("passes the output rails", async () => {
    const { runtime } = await openBench({
      colang: `${DIALOG}define subflow star\n  $bot_message = "*" + $bot_message\ndefine subflow speak\n  bot say it\n`,
      yaml: "rails: {output: {flows: [star]}}",
      answers: ['"It."'],
    });
    expect((await runtime.runFlow("speak", user("hello"), {})).messages).toEqual([
      { role: "assistant", content: "*It." },
    ]);
  });
});

describe("one flow whose message is blocked", () => {
  it("shows the text to no model and no action", async () => {
    const { runtime } = await openBench({
      colang: `${DIALOG}define bot deny\n  "No."\ndefine subflow guard\n  bot deny\n  stop\ndefine subflow speak\n  bot say it\n`,
      yaml: "rails: {output: {flows: [guard]}}",
      answers: ['"the launch code is xyzzy"'],
    });
    const result = await runtime.runFlow("speak", user("hello"), {});
    expect([result.status, result.messages]).toEqual(["stopped", [{ role: "assistant", content: "No." }]]);
    expect(JSON.stringify(result)).not.toContain("xyzzy");
  });
});

describe("one stage of the dialog alone", () => {
  it("an utterance has a canonical form", async () => {
    const { runtime } = await openBench({ colang: DIALOG, yaml, answers: ["greet"] });
    expect(await runtime.canonicalForm("hey there", [])).toMatchObject({ intent: "greet", source: "llm" });
  });

  it.each([
    ["greet", [], { intent: "hi", source: "flow", flow: "greeting" }],
    ["ask price", [], { action: "price", source: "flow", flow: "pricing" }],
    ["ask weather", ["bot hi"], { intent: "hi", source: "llm" }],
  ])("after `%s` follows a step", async (intent, answers, step) => {
    const { runtime } = await openBench({ colang: DIALOG, yaml, answers });
    expect(await runtime.nextStep(intent, user("x"))).toEqual(step);
  });

  it.each([
    ["hi", [], { text: "Hi Mina.", source: "predefined" }],
    ["$name", [], { text: "Mina", source: "variable" }],
    ["say more", ['"More."'], { text: "More.", source: "llm" }],
  ])("`bot %s` has a text", async (intent, answers, utterance) => {
    const { runtime } = await openBench({ colang: DIALOG, yaml, answers });
    expect(await runtime.botMessage(intent, { name: "Mina" }, user("x"))).toEqual(utterance);
  });
});

describe("code of a configuration", () => {
  const open = async (init: (app: GuardrailsApp) => unknown, colang: string) => {
    const config = await loadConfigFromContent({ colang, yaml });
    const inits = [{ path: "config.js", init }];
    return createRuntime({
      config: {
        ...config,
        code: { ...config.code, inits },
        spanOf: config.spanOf.bind(config),
      } as unknown as typeof config,
      models: { byType: {} },
      tracker: silentTracker,
    });
  };

  it("registers actions and values for them", async () => {
    const runtime = await open((app) => {
      app.registerAction(
        ({ sku }: { sku: string }, { services }: ActionContext) => (services["stock"] as Map<string, number>).get(sku),
        "check_stock",
      );
      app.registerActionParam("stock", new Map([["bell", 3]]));
    }, 'define flow\n  event UserMessage\n  $left = execute check_stock(sku="bell")\n  bot $left\n');
    expect((await runtime.turn(user("hi"))).text).toBe("3");
  });

  it("cannot change anything once the runtime exists", async () => {
    let kept = new GuardrailsApp();
    await open((app) => {
      kept = app;
      app.registerFilter("up", (value) => String(value).toUpperCase());
    }, "define flow\n  event UserMessage\n  bot hi\n");
    expect(() => kept.registerAction(() => 1, "late")).toThrow("only be called while `init` runs");
    expect(() => Object.assign(kept.filters, { up: () => "changed" })).toThrow(TypeError);
    expect(() => (kept.actions as unknown[]).push({ value: () => 1 })).toThrow(TypeError);
  });

  it("that fails is named with its file and cause", async () => {
    const failing = open(() => {
      throw new Error("no database");
    }, "define flow\n  event UserMessage\n  bot hi\n");
    await expect(failing).rejects.toMatchObject({
      code: "CF-116",
      message: "`init` of `config.js` failed: no database",
      cause: new Error("no database"),
    });
  });
});

describe("an action server", () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  async function serve(run: (body: { action_name: string; action_parameters: unknown }) => unknown): Promise<string> {
    server = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk: Buffer) => (text += chunk.toString()));
      request.on("end", () => {
        const body: unknown =
          request.url?.endsWith("/list") === true ? ["weigh", "add"] : run(JSON.parse(text) as never);
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const colang =
    'define flow\n  event UserMessage\n  $w = execute weigh(sku="bell")\n  if $w\n    bot heavy\n  else\n    bot light\ndefine bot heavy\n  "Heavy, $note."\ndefine bot light\n  "Light."\n';

  it.each<[string, unknown, string, string]>([
    ["any value", { status: "success", result: false }, "answered", "Light."],
    ["variables", { status: "success", result: true, context_updates: { note: "9 kg" } }, "answered", "Heavy, 9 kg."],
    ["a failure", { status: "failed", result: null }, "failed", ""],
  ])("returns %s", async (_title, answer, status, text) => {
    const asked: unknown[] = [];
    const url = await serve((body) => {
      asked.push(body);
      return answer;
    });
    const { runtime } = await openBench({
      colang,
      yaml: `actions_server_url: ${url}\nactions: {server: {retries: 0}}`,
    });
    const result = await runtime.turn(user("hi"));
    expect(asked).toEqual([{ action_name: "weigh", action_parameters: { sku: "bell" } }]);
    expect(result.status).toBe(status);
    if (status === "answered") expect(result.text).toBe(text);
  });
});

describe("without a knowledge base", () => {
  it("retrieval rails read an empty text", async () => {
    const { runtime, model } = await openBench({
      colang:
        'define user ask\n  "ask"\ndefine bot respond\n  "Yes."\ndefine flow\n  user ask\n  bot respond\ndefine subflow no secrets\n  if "secret" in $relevant_chunks\n    bot refuse to respond\n    stop\n',
      yaml: "rails: {retrieval: {flows: [no secrets]}}",
    });
    const result = await runtime.turn(user("ask"), { outputVars: ["relevant_chunks"] });
    expect([result.text, result.outputData, model.calls]).toEqual(["Yes.", { relevant_chunks: "" }, []]);
  });
});

describe("a knowledge base", () => {
  it("finds chunks for the prompt, as rewritten by the retrieval rails", async () => {
    const config = await loadConfigFromContent({
      colang: 'define user ask\n  "ask"\ndefine subflow clean\n  $relevant_chunks = execute clean\n',
      yaml: "rails: {retrieval: {flows: [clean]}, dialog: {single_call: {enabled: false}}}",
    });
    const documents = [
      { path: "kb/bells.md", content: "# Bells\n\nA bicycle bell costs ninety crowns." },
      { path: "kb/tyres.md", content: "# Tyres\n\nWinter tyres have spikes." },
    ];
    const { ScriptedLanguageModel } = await import("../support/language-models/scripted-language-model.js");
    const model = new ScriptedLanguageModel(["ask", "bot inform", '"Dear."']);
    const runtime = await createRuntime({
      config: { ...config, documents, spanOf: config.spanOf.bind(config) } as unknown as typeof config,
      models: { main: model, byType: {} },
      actions: {
        clean: (_params: unknown, { context }: ActionContext) =>
          String(context["relevant_chunks"]).replace("ninety", "many"),
      },
      tracker: silentTracker,
    });
    const question = "what does a bicycle bell cost?";
    const result = await runtime.turn(user(question), { state: {}, outputVars: ["relevant_chunks", "retrieved_for"] });
    expect(result.outputData?.["retrieved_for"]).toBe(question);
    expect(String(result.outputData?.["relevant_chunks"])).toContain("costs many crowns");
    expect(model.calls[2]?.text).toContain("costs many crowns");
    expect(JSON.stringify([model.calls[2]?.text, result.state])).not.toContain("ninety");
  });
});

const COLANG = `
define user ask price
  "how much is a tube"
  "what does a saddle cost"
  "tell me the price of a helmet"
define user ask hours
  "when do you open"
  "until when are you open today"
  "what are your opening hours"

define bot tell price
  "Ten euros."
define bot tell hours
  "From nine to six."
define bot admit ignorance
  "I know bicycles only."

define flow
  user ask price
  bot tell price
define flow
  user ask hours
  bot tell hours
define flow
  user ask anything else
  bot admit ignorance
`;

const settings = (more: string) => `
rails:
  dialog:
    user_messages: {embeddings_only: true, embeddings_only_fallback_intent: ask anything else${more}}
`;

async function answer(text: string, yaml: string) {
  const { runtime } = await openBench({ colang: COLANG, yaml, bare: true });
  return (await runtime.turn([{ role: "user", content: text }])).text;
}

describe("a dialog without a model and without embeddings", () => {
  it.each([
    ["what is the price of a saddle?", "Ten euros."],
    ["are you open now", "From nine to six."],
    ["explain quantum entanglement", "I know bicycles only."],
    ["🦑", "I know bicycles only."],
  ])("lets the trained matcher decide: %s", async (text, expected) => {
    expect(await answer(text, settings(""))).toBe(expected);
  });

  it.each([
    ["high", 0.999, "I know bicycles only."],
    ["low", 0.05, "Ten euros."],
  ])("compares a %s threshold of the configuration with the calibrated score", async (_, threshold, expected) => {
    const yaml = settings(`, embeddings_only_similarity_threshold: ${threshold}`);
    expect(await answer("what is the price of a saddle?", yaml)).toBe(expected);
  });

  it.each(["explain quantum entanglement", "🦑", "bicycle soup for nine"])(
    "uses the nearest intent without a threshold and a fallback: %s",
    async (text) => {
      const yaml = "rails: {dialog: {user_messages: {embeddings_only: true}}}\n";
      expect(["Ten euros.", "From nine to six.", "I know bicycles only."]).toContain(await answer(text, yaml));
    },
  );

  it("stores the training of the matcher if configured", async () => {
    const folder = mkdtempSync(join(tmpdir(), "matcher-"));
    const cache = `{enabled: true, store: filesystem, store_config: {cache_dir: ${JSON.stringify(folder)}}}`;
    const yaml = `${settings("")}\ncore: {embedding_search_provider: {cache: ${cache}}}\n`;
    const answers = [await answer("price of a tube", yaml), await answer("price of a tube", yaml)];
    expect(answers).toEqual(["Ten euros.", "Ten euros."]);
    expect(readdirSync(folder)).toHaveLength(1);
    rmSync(folder, { recursive: true });
  });
});

import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Guardrails, verdictOf } from "../../src/index.js";
import { scriptedModel, type ScriptedModel } from "../../src/testing/index.js";

const VERSIONS = ["1.0", "2.x"] as const;
const REFUSAL = "I'm sorry, I can't respond to that.";
const SEEING = "meta-llama/Llama-Guard-4-12B";
const BLIND = "meta-llama/Llama-Guard-3-8B";

const URL_BLOCK = { type: "image_url", image_url: { url: "https://example.org/cat.png" } };
const DATA_BLOCK = { type: "image", source_type: "base64", mime_type: "image/png", data: "iVBORw0KGgo=" };
const FILE_BLOCK = { type: "file", source_type: "base64", mime_type: "application/pdf", data: "JVBERi0xLjc=" };

interface Setup {
  readonly history?: "rewrite" | "review" | "trust";
  readonly version: string;
  readonly guard: ScriptedModel;
  readonly flows?: readonly string[];
  readonly unseen?: "block" | "report" | "allow";
  readonly rails?: object;
}

function open({ version, guard, flows = ["llama guard check input"], unseen, history, rails = {} }: Setup) {
  const config = { colang_version: version, rails: { input: { flows }, ...rails } };
  const options = {
    logger: false as const,
    models: { llama_guard: guard },
    ...(unseen === undefined ? {} : { unseen }),
    ...(history === undefined ? {} : { history }),
  };
  return Guardrails.fromConfig({ config }, options);
}

function message(text: string, ...blocks: readonly object[]): HumanMessage {
  const content = [...(text === "" ? [] : [{ type: "text", text }]), ...blocks];
  return new HumanMessage({ content: content as HumanMessage["content"] });
}

describe.each(VERSIONS)("images in messages in Colang %s", (version) => {
  it.each([
    ["an address", URL_BLOCK],
    ["bytes", DATA_BLOCK],
  ])("are passed to a rail whose model reads images: %s", async (_, block) => {
    const guard = scriptedModel(["safe", "safe"], { name: SEEING });
    const guardrails = await open({ version, guard, unseen: "block" });
    const answer = await guardrails.wrap(scriptedModel(["A cat."])).invoke([message("what is it?", block)]);
    expect(answer.text).toBe("A cat.");
    expect(guard.calls[0]?.messages.at(-1)?.content).toEqual([{ type: "text", text: "what is it?" }, block]);
    // The text goes through the rails as any other.
    expect(guard.calls[1]?.prompt).toBe("human: what is it?");
    expect(verdictOf(answer)?.decisions).toMatchObject([
      { rail: "llama guard check input", status: "passed", metadata: { images: 1 } },
      { rail: "llama guard check input", status: "passed" },
    ]);
  });

  it.each<[string, object]>([
    ["an address of OpenAI's responses", { type: "input_image", image_url: "https://example.org/cat.png" }],
    ["an address of Anthropic", { type: "image", source: { type: "url", url: "https://example.org/cat.png" } }],
    ["a stored file of Anthropic", { type: "image", source: { type: "file", file_id: "file-1" } }],
    ["bytes of Google", { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }],
    ["a file of Google", { fileData: { mimeType: "image/png", fileUri: "gs://bucket/cat.png" } }],
    ["media of LangChain for Google", { type: "media", mimeType: "image/png", data: "iVBORw0KGgo=" }],
    ["bytes as numbers", { type: "image", mimeType: "image/png", data: [137, 80] }],
  ])("are passed in the shapes of providers: %s", async (_, block) => {
    const guard = scriptedModel(["safe", "safe"], { name: SEEING });
    const guardrails = await open({ version, guard, unseen: "block" });
    const { guardrails: verdict } = await guardrails.check([message("what is it?", block)]);
    expect(verdict).toMatchObject({ blocked: false, decisions: [{ metadata: { images: 1 } }, { status: "passed" }] });
    expect(guard.calls[0]?.messages.at(-1)?.content).toEqual([{ type: "text", text: "what is it?" }, block]);
  });

  it.each(["what is it?", ""])("block the message before the model sees it (text %j)", async (text) => {
    const guard = scriptedModel(["unsafe\nS1"], { name: SEEING });
    const guardrails = await open({ version, guard });
    const llm = scriptedModel([]);
    let streamed = "";
    for await (const chunk of await guardrails.wrap(llm).stream([message(text, DATA_BLOCK)])) streamed += chunk.text;
    expect(streamed).toBe(REFUSAL);
    const checking = await open({ version, guard: scriptedModel(["unsafe\nS1"], { name: SEEING }) });
    const checked = await checking.check([message(text, DATA_BLOCK)]);
    expect(checked).toMatchObject({ status: "blocked", guardrails: { rail: "llama guard check input" } });
    expect(JSON.stringify(checked.guardrails)).not.toContain("iVBOR");
  });

  it("block if a reply is unreadable or a call fails", async () => {
    for (const reply of ["A cat.", new Error("no pictures")]) {
      const guardrails = await open({ version, guard: scriptedModel([reply], { name: SEEING }) });
      const { guardrails: verdict } = await guardrails.check([message("what is it?", URL_BLOCK)]);
      expect(verdict).toMatchObject({ blocked: true, decisions: [{ status: "error" }] });
    }
  });

  it.each([
    [true, BLIND, 1],
    [false, SEEING, undefined],
  ])("are passed or not according to `images: %p`, also to a model of the program", async (images, name, count) => {
    const models = [{ type: "llama_guard", engine: "openai", model: "any", images }];
    const rails = { input: { flows: ["llama guard check input"] } };
    const config = { colang_version: version, models, rails };
    const guard = scriptedModel("safe", { name });
    const guardrails = await Guardrails.fromConfig({ config }, { logger: false, models: { llama_guard: guard } });
    const { guardrails: verdict } = await guardrails.check([message("what is it?", URL_BLOCK)]);
    expect(verdict.decisions.find(({ rail }) => rail === "llama guard check input")?.metadata?.["images"]).toBe(count);
  });

  it("are left to `unseen` if the model does not read images", async () => {
    const guard = scriptedModel("safe", { name: BLIND });
    const guardrails = await open({ version, guard, unseen: "block" });
    expect(await guardrails.check([message("hi", URL_BLOCK)])).toMatchObject({ guardrails: { rail: "unseen parts" } });
    const reporting = await open({ version, guard });
    const { guardrails: verdict } = await reporting.check([message("hi", URL_BLOCK)]);
    expect(verdict.decisions[0]).toMatchObject({ rail: "unseen parts", metadata: { unseen: [{ kind: "image" }] } });
    for (const { messages } of guard.calls) expect(messages.at(-1)?.content).toBe("hi");
  });

  it("do not make files readable", async () => {
    const guard = scriptedModel("safe", { name: SEEING });
    const guardrails = await open({ version, guard, unseen: "block" });
    const { guardrails: verdict } = await guardrails.check([message("hi", URL_BLOCK, FILE_BLOCK)]);
    expect(verdict).toMatchObject({ blocked: true, rail: "unseen parts" });
    expect(verdict.decisions.at(-1)?.metadata?.["unseen"]).toMatchObject([{ kind: "file" }]);
  });

  it("are shown without the text if a rail masks it", async () => {
    const guard = scriptedModel("safe", { name: SEEING });
    const flows = ["llama guard check input", "mask sensitive data on input"];
    const config = { sensitive_data_detection: { input: { entities: ["EMAIL_ADDRESS"] } } };
    const guardrails = await open({ version, guard, flows, rails: { config } });
    await guardrails.check([message("I am ada@example.org", URL_BLOCK)]);
    expect(guard.calls[0]?.messages.at(-1)?.content).toEqual([URL_BLOCK]);
    expect(JSON.stringify(guard.calls.map(({ messages }) => messages))).not.toContain("ada@example.org");
  });

  it("are shown without the texts of their blocks where a rail masks texts", async () => {
    const guard = scriptedModel("safe", { name: SEEING });
    const flows = ["llama guard check input", "mask sensitive data on input"];
    const config = { sensitive_data_detection: { input: { entities: ["EMAIL_ADDRESS"] } } };
    const guardrails = await open({ version, guard, flows, rails: { config } });
    const texts = { alt: "by ada@example.org", title: "ada@example.org", extras: { note: "ask ada@example.org" } };
    await guardrails.check([message("hi", { ...DATA_BLOCK, ...texts })]);
    expect(guard.calls[0]?.messages.at(-1)?.content).toMatchObject([DATA_BLOCK]);
    expect(JSON.stringify(guard.calls.map(({ messages }) => messages))).not.toContain("ada@example.org");
  });

  it("are not cleared by detectors", async () => {
    const guard = scriptedModel(["unsafe\nS1"], { name: SEEING });
    const two_stage = { "llama guard check input": { detectors: ["jailbreak"], pass_below: 0.5 } };
    const guardrails = await open({ version, guard, rails: { two_stage } });
    expect(await guardrails.check([message("hi", URL_BLOCK)])).toMatchObject({ status: "blocked" });
  });

  it("are not reviewed in a call without input rails", async () => {
    const guardrails = await open({ version, guard: scriptedModel([], { name: SEEING }) });
    const answer = await guardrails
      .wrap(scriptedModel(["A cat."]))
      .invoke([message("what is it?", URL_BLOCK)], { rails: { input: false } });
    expect(answer.text).toBe("A cat.");
  });
});

it("images reach a model of another family, with a note in its prompt", async () => {
  const guard = scriptedModel(["No", "No"], { name: "gpt-4o-mini" });
  const config = { rails: { input: { flows: ["content safety check input $model=guard"] } } };
  const guardrails = await Guardrails.fromConfig({ config }, { logger: false, models: { guard } });
  expect(await guardrails.check([message("hi", URL_BLOCK)])).toMatchObject({ status: "passed" });
  const [first, second] = guard.calls;
  expect(first?.prompt).toContain("The pictures that come with this text are a part of the message.");
  expect(second?.prompt).not.toContain("pictures");
});

describe.each(VERSIONS)("images in earlier messages in Colang %s", (version) => {
  const conversation = (...blocks: readonly object[]) => [
    message("what is it?", ...blocks),
    new AIMessage("A cat."),
    message("and its age?"),
  ];

  /** Replies of the guard, by what it is shown. */
  const judge = (decide: (shown: string) => string) =>
    scriptedModel((messages) => decide(JSON.stringify(messages.map(({ content }) => content))), { name: SEEING });

  const ask = async (setup: Omit<Setup, "version">, messages: readonly (HumanMessage | AIMessage)[]) => {
    const main = scriptedModel(["Three."]);
    const answer = await (await open({ version, ...setup })).wrap(main).invoke([...messages]);
    const decisions = verdictOf(answer)?.decisions ?? [];
    const about = decisions.filter(({ metadata }) => metadata?.["history"] === true);
    return { text: answer.text, first: main.calls[0]?.messages[0]?.content, about };
  };

  it.each([
    ["an address", URL_BLOCK],
    ["bytes", DATA_BLOCK],
  ])("are hidden with their message if a rail blocks them: %s", async (_, block) => {
    const guard = judge((shown) =>
      ["cat.png", DATA_BLOCK.data].some((place) => shown.includes(place)) ? "unsafe\nS1" : "safe",
    );
    const { text, first, about } = await ask({ guard, history: "review", unseen: "block" }, conversation(block));
    expect(text).toBe("Three.");
    for (const gone of ["cat.png", DATA_BLOCK.data, "what is it"]) expect(JSON.stringify(first)).not.toContain(gone);
    expect(about).toMatchObject([{ rail: "llama guard check input", status: "modified", categories: ["S1"] }]);
  });

  it("stay if the rail passes them", async () => {
    const guard = judge(() => "safe");
    const { first, about } = await ask({ guard, history: "review", unseen: "block" }, conversation(URL_BLOCK));
    expect(first).toEqual([{ type: "text", text: "what is it?" }, URL_BLOCK]);
    expect(about).toEqual([]);
    expect(guard.calls.filter(({ messages }) => JSON.stringify(messages).includes("cat.png"))).toHaveLength(1);
  });

  it("are hidden if the rail fails", async () => {
    const guard = judge((shown) => (shown.includes("cat.png") ? "perhaps" : "safe"));
    const { first } = await ask({ guard, history: "review" }, conversation(URL_BLOCK));
    expect(JSON.stringify(first)).not.toContain("cat.png");
  });

  it.each([
    ["report", true, "passed"],
    ["block", false, "modified"],
  ] as const)("without a rail that sees them fall under `unseen: %s`", async (unseen, stays, status) => {
    const guard = scriptedModel(() => "safe", { name: BLIND });
    const { text, first, about } = await ask({ guard, history: "review", unseen }, conversation(URL_BLOCK, FILE_BLOCK));
    expect(text).toBe("Three.");
    expect(JSON.stringify(first).includes("cat.png")).toBe(stays);
    const [path, file] = ["messages[0].content[1].image_url.url", "messages[0].content[2].data"];
    expect(about).toMatchObject([
      {
        rail: "unseen parts",
        status,
        metadata: {
          unseen: [
            { path, kind: "image" },
            { path: file, kind: "file" },
          ],
        },
      },
    ]);
  });

  it.each(["rewrite", "trust", undefined] as const)("are trusted with `history: %s`", async (history) => {
    const guard = judge((shown) => (shown.includes("cat.png") ? "unsafe" : "safe"));
    const setup = history === undefined ? { guard } : { guard, history };
    const { first, about } = await ask({ ...setup, unseen: "block" }, conversation(URL_BLOCK));
    expect(first).toEqual([{ type: "text", text: "what is it?" }, URL_BLOCK]);
    expect(about).toEqual([]);
  });
});

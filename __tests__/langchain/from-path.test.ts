import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { ConfigError, Guardrails, type GuardrailsOptions, verdictOf } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { railFlows } from "../support/rail-flows.js";

let base = "";

const FILES: Readonly<Record<string, string>> = {
  "app/config.yml": `
models:
  - type: main
    engine: house
    model: small
import_paths:
  - ../words
rails:
  input:
    flows: [check words]
  output:
    flows: [sign answer]
`,
  "app/rails/sign.co": `
define subflow sign answer
  $bot_message = execute sign(text=$bot_message)
`,
  "app/drafts/broken.co": "define nonsense\n",
  "app/.railsignore": "drafts/\n",
  "app/actions.mjs": `
export function check_words({ text }, { services }) {
  return !services.words.includes(text);
}
export default async function ignored() { return true; }
`,
  "app/config.mjs": `
export async function init(app) {
  app.registerAction(({ text }) => text + " (checked)", "sign");
  app.registerActionParam("words", ["bad"]);
  app.registerEngine("house", ({ model }) => ({
    lc_runnable: true,
    model,
    async invoke() { return "from the house"; },
  }));
}
`,
  "engines/config.yml": `
models:
  - {type: main, engine: openai}
  - {type: judge, engine: together}
`,
  "engines/config.mjs": `
export function init(app) {
  const model = { lc_runnable: true, async invoke() { return "from the house"; } };
  app.registerEngine("openai", () => model);
  app.registerEngine("together", () => model);
}
`,
  "half/config.yml": `
models:
  - {type: main, engine: openai}
  - {type: judge, engine: together}
  - {type: embeddings, engine: openai}
`,
  "half/config.mjs": `
export function init(app) {
  app.registerEngine("together", () => ({ lc_runnable: true, async invoke() { return "from the house"; } }));
}
`,
  "words/words.co": railFlows("1.0", { "check words": ["block", "user_message", "check_words"] }),
};

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "guardrails-")));
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(base, name)), { recursive: true });
    writeFileSync(join(base, name), content);
  }
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const load = (path: string, options?: GuardrailsOptions): Promise<Guardrails> =>
  Guardrails.fromPath(join(base, path), options);

describe("a folder with code, imports and ignored files", () => {
  it("guards a model from end to end", async () => {
    const guardrails = await load("app");
    const model = scriptedModel([new AIMessage({ content: "hello", id: "m" })]);
    const guarded = guardrails.wrap(model);
    expect(await guarded.invoke("hi")).toMatchObject({ content: "hello (checked)", id: "m" });
    const blocked = await guarded.invoke("bad");
    expect([blocked.content, verdictOf(blocked)?.rail]).toEqual(["REFUSED", "check words"]);
    model.assertDone();
  });

  it("is loaded from a `file:` URL as well as from a path", async () => {
    const guardrails = await Guardrails.fromPath(pathToFileURL(join(base, "app")));
    expect((await guardrails.generate("hi")).response).toBe("from the house (checked)");
  });

  it("responds with the engine that its code registered, and a given model replaces that", async () => {
    const own = await load("app");
    expect((await own.generate("hi")).response).toBe("from the house (checked)");
    const replaced = await load("app", { llm: scriptedModel("given") });
    expect((await replaced.generate("hi")).response).toBe("given (checked)");
  });

  it("loads no code with `allowCode: false`, and reports what is missing", async () => {
    const error: unknown = await load("app", { allowCode: false }).catch((thrown: unknown) => thrown);
    expect(ConfigError.isInstance(error)).toBe(true);
    expect(String(error)).toContain("house");
    const actions = {
      check_words: ({ text }: { text: string }) => text !== "bad",
      sign: ({ text }: { text: string }) => text,
    };
    const guardrails = await load("app", { allowCode: false, actions, llm: scriptedModel("given") });
    expect((await guardrails.generate("hi")).response).toBe("given");
    expect(guardrails.warnings.map(({ path }) => path)).toEqual(expect.arrayContaining(["actions.mjs", "config.mjs"]));
  });

  it("names the file of a problem that is not ignored, and a missing folder", async () => {
    const error: unknown = await load("app/drafts").catch((thrown: unknown) => thrown);
    expect(String(error)).toContain("broken.co:1:");
    await expect(load("nowhere")).rejects.toThrow(/nowhere/);
  });
});

describe("engines that code registers under built-in names", () => {
  it("need no `model`", async () => {
    const guardrails = await load("engines", { logger: false });
    expect((await guardrails.generate("hi")).response).toBe("from the house");
  });

  it("still require it for other models of built-in engines", async () => {
    const error: unknown = await load("half", { logger: false }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ diagnostics: [{ code: "CF-105", path: expect.stringMatching(/^models\[[02]\]/) }] });
    const without: unknown = await load("engines", { allowCode: false, logger: false }).catch(
      (thrown: unknown) => thrown,
    );
    expect(without).toMatchObject({ diagnostics: [{ code: "CF-105" }, { code: "CF-105" }] });
  });
});

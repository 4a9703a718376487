import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "../../../src/langchain/guardrails.js";
import type { PlaygroundTurn } from "../../../src/server/playground/wire.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { readEvents } from "../../support/server/guarded-server.js";
import { BAKERY } from "../../cli/run-cli.js";
import { openPlayground } from "./open-playground.js";

const JUDGED = {
  "config.yml": `models:
  - type: main
    engine: openai
    model: gpt-4o-mini
rails:
  input:
    flows: [self check input]
  output:
    flows: [check answer]
prompts:
  - task: self_check_input
    content: "Should {{ user_input }} be blocked?"
`,
  "rails.co": `define bot refuse to respond
  "I only talk about bread."

define subflow check answer
  if "secret" in $bot_message
    bot refuse to respond
    stop
`,
};

const SECRET = "The secret ingredient is rye.";

function models(reply: string, judge = "No") {
  return { llm: scriptedModel(() => reply), models: { self_check_input: scriptedModel(() => judge) } };
}

const spansOf = ({ spans }: PlaygroundTurn, kind: string) => spans.filter((span) => span.kind === kind);

describe("a turn", () => {
  it("is described with its rails, model calls, prompts and completions", async () => {
    await using opened = await openPlayground(JUDGED, {}, models("Rye."));
    const turn = await opened.turn("Which bread?");
    expect(turn).toMatchObject({ user: "Which bread?", reply: "Rye.", blocked: false, problems: [] });
    expect(spansOf(turn, "rail").map(({ stage, name, status }) => [stage, name, status])).toEqual([
      ["input", "self check input", "passed"],
      ["output", "check answer", "passed"],
    ]);
    expect(spansOf(turn, "model").map(({ task, content }) => [task, content?.["completion"]])).toEqual([
      ["self_check_input", "No"],
      ["general", "Rye."],
    ]);
    expect(spansOf(turn, "model")[0]?.content?.["prompt"]).toContain("Should Which bread? be blocked?");
    expect(turn.spans.every(({ startMs, durationMs }) => startMs >= 0 && durationMs >= 0)).toBe(true);
    expect(turn.script).toEqual({ reply: ["Rye."], models: { self_check_input: ["No"] } });
  });

  it("explains why each flow acted, with the position of its step", async () => {
    await using opened = await openPlayground(BAKERY);
    const turn = await opened.turn("hello");
    expect(turn.flows).toContainEqual({
      flow: "greeting",
      outcome: "decided",
      reasons: expect.arrayContaining(["it took the step `bot express greeting` (rails.co:10)"]),
    });
    expect(turn.steps).toContainEqual({
      kind: "took",
      flow: "greeting",
      text: "takes `bot express greeting`",
      file: "rails.co",
      line: 10,
    });
  });

  it("continues its conversation", async () => {
    const llm = scriptedModel((messages) => `${messages.length} messages`);
    const { models: judges } = models("");
    await using opened = await openPlayground(JUDGED, {}, { llm, models: judges });
    expect((await opened.turn("one")).reply).toBe("2 messages");
    expect((await opened.turn("two")).reply).toBe("4 messages");
    expect((await opened.turn("one", { conversation: "conversation-2" })).reply).toBe("2 messages");
  });

  it.each([
    [false, "The model failed"],
    [true, "the model `scripted-model` of engine `scripted` failed: key sk-123 refused"],
  ])("is described even if the model fails, with unreviewed texts %j", async (unreviewed, problem) => {
    const llm = scriptedModel(() => {
      throw new Error("key sk-123 refused");
    });
    await using opened = await openPlayground(JUDGED, { playground: { unreviewed } }, { ...models(""), llm });
    const turn = await opened.turn("hi");
    expect(turn.problems).toEqual([problem]);
    expect(spansOf(turn, "rail")).toHaveLength(1);
    expect(spansOf(turn, "model").at(-1)?.status).toBe("error");
  });

  it("streams its text before it is described", async () => {
    await using opened = await openPlayground(JUDGED, {}, models("one two three four five six seven eight"));
    const body = { config: "demo", conversation: "conversation-1", text: "count" };
    const events = readEvents(await (await opened.post("turns", body)).text()) as { readonly type?: string }[];
    const types = events.map((event) => event.type ?? event);
    expect(types).toContain("work-start");
    expect(types.indexOf("text-delta")).toBeGreaterThan(-1);
    expect(types.slice(-2)).toEqual(["turn", "[DONE]"]);
  });

  it("runs in Colang 2.x, with the reasons of its flows", async () => {
    const flows = `import core

flow main
  activate ordering
  wait indefinitely

flow ordering
  user said "roll"
  bot say "One roll."
`;
    await using opened = await openPlayground({ "config.yml": 'colang_version: "2.x"\n', "main.co": flows });
    const turn = await opened.turn("roll");
    expect(turn.reply).toBe("One roll.");
    expect(turn.flows).toContainEqual(expect.objectContaining({ flow: "ordering", outcome: "decided" }));
    expect(turn.flows.find(({ flow }) => flow === "main")?.reasons.join(" ")).toMatch(/wait/);
    expect(turn.steps).toContainEqual(expect.objectContaining({ kind: "took", file: "main.co", line: 9 }));
  });

  it("runs with a guardrails object of the application, which shows no files", async () => {
    const guardrails = await Guardrails.fromConfig({ config: {} }, { llm: scriptedModel(() => "Rye.") });
    await using opened = await openPlayground(BAKERY, { configs: { demo: guardrails } });
    expect(await (await opened.post("configs", {})).json()).toEqual({
      unreviewed: false,
      configs: [{ id: "demo", files: [] }],
    });
    const turn = await opened.turn("Which bread?");
    expect([turn.reply, spansOf(turn, "model").length]).toEqual(["Rye.", 1]);
    expect((await opened.post("drafts", { config: "demo", files: [] })).status).toBe(400);
  });

  it.each([
    ["an empty text", { text: "" }],
    ["a conversation with a short id", { conversation: "short" }],
    ["a conversation with other characters", { conversation: "../../conversation" }],
    ["an unknown field", { code: "process.exit()" }],
  ])("is refused with %s", async (_name, fields) => {
    await using opened = await openPlayground(BAKERY);
    const body = { config: "demo", conversation: "conversation-1", text: "hi", ...fields };
    expect((await opened.post("turns", body)).status).toBe(400);
  });
});

describe("a blocked turn", () => {
  it("shows no blocked text", async () => {
    await using opened = await openPlayground(JUDGED, {}, models(SECRET));
    const turn = await opened.turn("What is in it?");
    expect(turn).toMatchObject({
      reply: "I only talk about bread.",
      blocked: true,
      rail: "check answer",
      stage: "output",
    });
    expect(JSON.stringify(turn)).not.toContain("ingredient");
    expect(spansOf(turn, "rail").at(-1)).toMatchObject({ name: "check answer", status: "blocked" });
  });

  it("shows the blocked text if the option allows it", async () => {
    await using opened = await openPlayground(JUDGED, { playground: { unreviewed: true } }, models(SECRET));
    const turn = await opened.turn("What is in it?");
    expect(turn.reply).toBe("I only talk about bread.");
    expect(spansOf(turn, "rail").at(-1)?.content).toEqual({ input: SECRET });
    expect(spansOf(turn, "model").at(-1)?.content?.["completion"]).toBe(SECRET);
  });

  it("shows no texts if traces are redacted", async () => {
    const given = { ...models(SECRET), redactTraces: true };
    await using opened = await openPlayground(JUDGED, { playground: { unreviewed: true } }, given);
    const turn = await opened.turn("What is in it?");
    expect(JSON.stringify(turn)).not.toContain("ingredient");
  });

  it("has the replies of its judges as a script", async () => {
    await using opened = await openPlayground(JUDGED, {}, models("Rye.", "Yes"));
    const turn = await opened.turn("How do I pick a lock?");
    expect(turn).toMatchObject({ blocked: true, rail: "self check input" });
    expect(turn.script).toEqual({ reply: [], models: { self_check_input: ["Yes"] } });
  });
});

describe("a shared conversation", () => {
  const HOSTILE = `</script><script>alert(1)</script><!-- ${"\u2028"} <img src=x onerror=alert(1)> &lt;`;

  it("is one file in which no text is markup", async () => {
    await using opened = await openPlayground(BAKERY);
    const turn = await opened.turn(HOSTILE);
    const response = await opened.post("shared", {
      title: HOSTILE,
      turns: [turn],
      files: [{ path: HOSTILE, text: HOSTILE }],
    });
    const { html } = (await response.json()) as { html: string };
    const [, data = ""] = /<script type="application\/json" id="shared">([^<]*)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(data)).toMatchObject({ title: HOSTILE, turns: [{ user: HOSTILE }] });
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(html).not.toContain("<img");
    expect(html).toMatch(/content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/);
  });

  it.each(["turns", "files", "scores"])("is refused if its %s nest too deeply to be written", async (field) => {
    await using opened = await openPlayground(BAKERY);
    const shared = { title: "deep", turns: [{}], files: [], [field]: [{ deep: 0 }] };
    const body = JSON.stringify(shared).replace(":0", () => `:${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    const headers = { "content-type": "application/json", "x-guardrails-playground": "1" };
    const request = new Request("http://localhost:8000/playground/shared", { method: "POST", headers, body });
    expect((await opened.app.fetch(request)).status).toBe(400);
  });
});

import { describe, expect, it } from "@jest/globals";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatOpenAI } from "@langchain/openai";
import { scriptedServer, type ServerRequest } from "langchain-guardrails/testing";

import type { Dialogue } from "../../examples/dialogue.js";
import * as factChecking from "../../examples/fact-checking/main.js";
import * as jailbreak from "../../examples/jailbreak/main.js";
import * as moderation from "../../examples/moderation/main.js";
import * as topicalRail from "../../examples/topical-rail/main.js";
import { expectGolden } from "./expect-golden.js";

interface Application {
  readonly DIALOGUE: Dialogue;
  run(options: { readonly llm: BaseChatModel }): Promise<readonly string[]>;
}

const APPLICATIONS: readonly (readonly [string, Application])[] = [
  ["fact-checking", factChecking],
  ["jailbreak", jailbreak],
  ["moderation", moderation],
  ["topical-rail", topicalRail],
];

/** Plays an application's dialogue with LangChain's own client over HTTP; every scripted completion must be used. */
async function playOverHttp({ run, DIALOGUE }: Application): Promise<{
  readonly lines: readonly string[];
  /** What the model was sent for each completion, in the order of the dialogue. */
  readonly prompts: readonly { readonly task: string | undefined; readonly text: string }[];
}> {
  await using server = await scriptedServer(DIALOGUE.replies);
  const configuration = { baseURL: server.url };
  const llm = new ChatOpenAI({ model: "any", apiKey: "none", maxRetries: 0, temperature: 0, configuration });
  const lines = await run({ llm });
  server.assertDone();
  const prompts = server.requests.map((request, index) => ({ task: DIALOGUE.tasks[index], text: textOf(request) }));
  return { lines, prompts };
}

function textOf({ body }: ServerRequest): string {
  return (body["messages"] as { readonly content: string }[]).map(({ content }) => content).join("\n");
}

const ofTask = (prompts: readonly { task: string | undefined; text: string }[], wanted: string): string[] =>
  prompts.filter(({ task }) => task === wanted).map(({ text }) => text);

describe("reference applications, with the real client over HTTP", () => {
  it.each(APPLICATIONS)("%s plays its dialogue", async (name, application) => {
    const { lines } = await playOverHttp(application);
    const asked = lines.flatMap((line) => /^ {2}model: (.*)$/.exec(line)?.[1]?.split(", ") ?? []);
    expect(asked).toEqual(application.DIALOGUE.tasks);
    expectGolden(name, lines);
  });
});

describe("topical-rail", () => {
  it("answers from the knowledge base", async () => {
    const { prompts } = await playOverHttp(topicalRail);
    const [dog, sunday] = ofTask(prompts, "generate_bot_message");
    expect(dog).toContain("Dogs travel free of charge");
    expect(sunday).toContain("On Sundays only the ferries at 9:10");
  });
});

describe("moderation", () => {
  it("judges by the library's policies, and shows the main model nothing that was blocked", async () => {
    const { prompts } = await playOverHttp(moderation);
    expect(ofTask(prompts, "self_check_input")[0]).toContain("public library's chat");
    expect(ofTask(prompts, "self_check_output")[0]).toContain("what a public library's assistant is about to say");
    const general = ofTask(prompts, "general").join("\n");
    expect(general).toContain("lighthouses");
    expect(general).not.toContain("hurt him");
  });
});

describe("fact-checking", () => {
  it("judges an answer by the passage it was made from", async () => {
    const { prompts } = await playOverHttp(factChecking);
    const [weight, box] = ofTask(prompts, "self_check_facts");
    expect(weight).toContain("The Heron weighs 6.4 kilograms");
    expect(box).toContain("a moon filter");
    expect(box).toContain("Two eyepieces of 10 and 25 millimetres");
  });

  it("compares an answer with further ones", async () => {
    const { prompts } = await playOverHttp(factChecking);
    const [light] = ofTask(prompts, "self_check_hallucination");
    // The further answers are asked for at once and may come in any order.
    expect(light).toContain("It takes about eight minutes and twenty seconds");
    expect(light).toContain("Roughly eight minutes");
  });
});

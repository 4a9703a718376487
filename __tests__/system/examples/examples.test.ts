import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { type ScriptedModel, type ScriptedReply, scriptedModel } from "langchain-guardrails/testing";

import * as colang2Assistant from "../../../examples/colang2-assistant/main.js";
import * as colang2Greeting from "../../../examples/colang2-greeting/main.js";
import * as colang2Interruption from "../../../examples/colang2-interruption/main.js";
import * as communityRetriever from "../../../examples/community-retriever/main.js";
import * as conversation from "../../../examples/conversation/main.js";
import * as customActions from "../../../examples/custom-actions/main.js";
import * as demo from "../../../examples/demo/main.js";
import * as batch from "../../../examples/batch/main.js";
import * as detectors from "../../../examples/detectors/main.js";
import * as fiveWays from "../../../examples/five-ways/main.js";
import * as greetingBot from "../../../examples/greeting-bot/main.js";
import * as guardModels from "../../../examples/guard-models/main.js";
import * as guardedAgent from "../../../examples/guarded-agent/main.js";
import * as langgraphRag from "../../../examples/langgraph-rag/main.js";
import * as messageHistory from "../../../examples/message-history/main.js";
import * as moderatedPipeline from "../../../examples/moderated-pipeline/main.js";
import * as ownRail from "../../../examples/own-rail/main.js";
import * as policies from "../../../examples/policies/main.js";
import * as pictureSafety from "../../../examples/picture-safety/main.js";
import * as pipe from "../../../examples/pipe/main.js";
import * as quickStart from "../../../examples/quick-start/main.js";
import * as ragChain from "../../../examples/rag-chain/main.js";
import * as server from "../../../examples/server/main.js";
import * as serviceRails from "../../../examples/service-rails/main.js";
import * as singleRails from "../../../examples/single-rails/main.js";
import * as terminalChat from "../../../examples/terminal-chat/main.js";
import * as tracing from "../../../examples/tracing/main.js";
import * as webHandler from "../../../examples/web-handler/main.js";
import { expectGolden } from "./expect-golden.js";

interface Example {
  readonly REPLIES: readonly ScriptedReply[];
  run(options: { readonly llm: ScriptedModel }): Promise<readonly string[]>;
}

const EXAMPLES: readonly (readonly [string, Example])[] = [
  ["colang2-assistant", colang2Assistant],
  ["colang2-greeting", colang2Greeting],
  ["colang2-interruption", colang2Interruption],
  ["community-retriever", communityRetriever],
  ["conversation", conversation],
  ["custom-actions", customActions],
  ["batch", batch],
  ["detectors", detectors],
  ["five-ways", fiveWays],
  ["greeting-bot", greetingBot],
  ["guard-models", guardModels],
  ["guarded-agent", guardedAgent],
  ["langgraph-rag", langgraphRag],
  ["message-history", messageHistory],
  ["moderated-pipeline", moderatedPipeline],
  ["own-rail", ownRail],
  ["picture-safety", pictureSafety],
  ["pipe", pipe],
  ["policies", policies],
  ["rag-chain", ragChain],
  ["server", server],
  ["service-rails", serviceRails],
  ["single-rails", singleRails],
  ["terminal-chat", terminalChat],
  ["tracing", tracing],
  ["web-handler", webHandler],
];

/** Runs a function and returns its output besides its result. */
async function printed<Result>(work: () => Promise<Result>): Promise<{ result: Result; output: string[] }> {
  const output: string[] = [];
  const { log } = console;
  console.log = (...values: unknown[]) => void output.push(values.join(" "));
  try {
    return { result: await work(), output };
  } finally {
    console.log = log;
  }
}

const LIST = readFileSync("examples/README.md", "utf8");
const FOLDERS = readdirSync("examples", { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
);

describe("examples", () => {
  it.each(FOLDERS)("%s has a README, which the list of examples links", (name) => {
    expect(existsSync(`examples/${name}/README.md`)).toBe(true);
    expect(LIST).toContain(`](${name}/README.md)`);
  });

  it.each(FOLDERS.filter((name) => existsSync(`examples/${name}/main.ts`)))(
    "%s finds its files from where the compiled example is, too",
    (name) => {
      const source = readFileSync(`examples/${name}/main.ts`, "utf8");
      const places = Array.from(source.matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g), ([, path = ""]) => path);
      const compiled = new URL(`file:///dist-examples/${name}/main.js`);
      const missing = places.filter((path) => !existsSync(`.${new URL(path, compiled).pathname}`));
      expect(missing).toEqual([]);
    },
  );

  it.each(EXAMPLES)("%s", async (name, { run, REPLIES }) => {
    const llm = scriptedModel(REPLIES);
    const { result } = await printed(() => run({ llm }));
    llm.assertDone();
    expectGolden(name, result);
  });

  it("quick-start, with the real client over HTTP", async () => {
    const { result, output } = await printed(() => quickStart.run());
    expect(output).toEqual([quickStart.REPLIES[1]]);
    expect(result).toEqual(output);
  });

  it("shows a test that passes", async () => {
    expect(await conversation.test()).toBe(
      [
        "> tell me a joke",
        "< What does a baker do on Sunday? Loaf around.",
        "> what is in bread?",
        "< Flour, water, salt and time.",
      ].join("\n"),
    );
  });

  it("the demo plays its script", async () => {
    const exchanges = await demo.run();
    expectGolden(
      "demo",
      exchanges
        .map((lines) => lines.join("\n"))
        .join("\n\n")
        .split("\n"),
    );
  });
});

import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { BaseTracer, type Run } from "@langchain/core/tracers/base";
import { Guardrails } from "langchain-guardrails";
import { createTracing } from "langchain-guardrails/tracing";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { collectingSink, treesOf } from "../support/tracing/collected.js";

/** Keeps the tree of each run, as LangSmith shows it. */
class TreeTracer extends BaseTracer {
  readonly name = "tree_tracer";
  readonly lines: string[] = [];

  constructor() {
    super({ _awaitHandler: true } as ConstructorParameters<typeof BaseTracer>[0]);
  }

  protected override async persistRun(run: Run): Promise<void> {
    this.#add(run, 0);
  }

  #add({ name, tags = [], child_runs }: Run, depth: number): void {
    this.lines.push(`${"  ".repeat(depth)}${name} ${tags.join(",")}`.trimEnd());
    for (const child of child_runs) this.#add(child, depth + 1);
  }
}

const TASKS = ["self_check_input", "self_check_output"];

it("callbacks show the tree of the guide, next to a trace", async () => {
  const tracer = new TreeTracer();
  const sink = collectingSink();
  const guardrails = await Guardrails.fromConfig(
    {
      config: {
        rails: { input: { flows: ["self check input"] }, output: { flows: ["self check output"] } },
        prompts: TASKS.map((task) => ({ task, content: "Is {{ user_input }}{{ bot_response }} bad?" })),
      },
    },
    {
      models: Object.fromEntries(TASKS.map((task) => [task, scriptedModel(() => "No")])),
      tracing: createTracing({ sinks: [sink] }),
    },
  );
  await guardrails.wrap(scriptedModel(["fine"])).invoke("hi", { callbacks: [tracer] });
  const judge = "guardrails,langsmith:nostream,nostream";
  expect(tracer.lines).toEqual([
    "GuardedChatModel",
    "  rail:self check input guardrails:input",
    `    rail:self check input ${judge}`,
    "  ScriptedModel",
    "  rail:self check output guardrails:output",
    `    rail:self check output ${judge}`,
  ]);
  const guide = readFileSync("docs/tracing.md", "utf8");
  for (const line of tracer.lines) {
    const name = line.trim().replace("ScriptedModel", "ChatOpenAI").split(" guardrails")[0] ?? "";
    expect(guide).toContain(name);
  }
  expect((await treesOf(sink))[0]?.split("\n")).toHaveLength(9);
});

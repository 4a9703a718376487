import { describe, expect, it } from "@jest/globals";
import { ConfigError, Guardrails, type StreamingOptions } from "../../../src/index.js";
import { realGuardrails } from "../../support/langchain/real-guardrails.js";

describe("rails that rewrite an answer that has left already are refused", () => {
  it.each<[string, string, StreamingOptions]>([
    ["a rail that writes the answer, passed through", "hide digits of answer", { mode: "passthrough" }],
    ["a rail that writes the answer, streamed first", "hide digits of answer", { streamFirst: true }],
    ["a rail of words, passed through", "hide digits of words", { mode: "passthrough" }],
    ["a rail of words, streamed first", "hide digits of words", { streamFirst: true }],
  ])("%s", async (_, rail, streaming) => {
    const failed: unknown = await realGuardrails({ output: ["check answer", rail], streaming }).catch(
      (error: unknown) => error,
    );
    expect(ConfigError.isInstance(failed)).toBe(true);
    expect((failed as ConfigError).diagnostics).toMatchObject([
      { code: "CF-106", path: "rails.output.flows[1]", hint: expect.stringContaining('mode: "window"') as unknown },
    ]);
    expect((failed as Error).message).toContain(`\`${rail}\``);
  });

  it("with the place of the rail in the file", async () => {
    const yaml = "rails:\n  output:\n    streaming:\n      stream_first: true\n    flows:\n      - hide it\n";
    const colang = 'define subflow hide it\n  $bot_message = "x"\n';
    const failed: unknown = await Guardrails.fromConfig({ yaml, colang }).catch((error: unknown) => error);
    expect((failed as Error).message).toContain("`stream_first` sends an answer before `hide it` has rewritten it");
    expect((failed as Error).message).toContain("- hide it");
  });

  it.each<[string, readonly string[], StreamingOptions]>([
    ["rails that only judge", ["check answer"], { streamFirst: true }],
    ["windows", ["hide digits of words"], { mode: "window" }],
    ["a whole answer", ["hide digits of answer"], { mode: "buffer", streamFirst: true }],
  ])("and %s are not", async (_, output, streaming) => {
    await expect(realGuardrails({ output, streaming })).resolves.toBeInstanceOf(Guardrails);
  });
});

describe("rails in Colang 2.x that rewrite an answer that has left already are refused too", () => {
  const RAILS = `import core

flow hide it
  global $bot_message
  $bot_message = "x"

flow hide sometimes
  global $bot_message
  if "bad" in $bot_message
    $bot_message = "x"

@meta(stream="word")
flow hide words
  global $bot_message
  $shown = await HideAction(text=$bot_message)
  $bot_message = $shown

flow judge it
  global $bot_message
  if "bad" in $bot_message
    bot say "no"
    abort
`;
  const open = (rail: string, streaming: StreamingOptions): Promise<unknown> => {
    const yaml = `colang_version: "2.x"\nrails:\n  output:\n    flows:\n      - judge it\n      - ${rail}\n`;
    return Guardrails.fromConfig(
      { yaml, colang: RAILS },
      { streaming, actions: { HideAction: ({ text }: { text: string }) => text } },
    ).catch((error: unknown) => error);
  };

  it.each<[string, StreamingOptions]>([
    ["hide it", { mode: "passthrough" }],
    ["hide it", { streamFirst: true }],
    ["hide sometimes", { streamFirst: true }],
    ["hide words", { mode: "passthrough" }],
  ])("%s with %o", async (rail, streaming) => {
    const failed = await open(rail, streaming);
    expect(ConfigError.isInstance(failed)).toBe(true);
    expect((failed as ConfigError).diagnostics).toMatchObject([{ code: "CF-106", path: "rails.output.flows[1]" }]);
    expect((failed as Error).message).toContain(`- ${rail}`);
  });

  it.each<[string, StreamingOptions]>([
    ["judge it", { mode: "passthrough" }],
    ["judge it", { streamFirst: true }],
    ["hide it", { mode: "window" }],
    ["hide it", { mode: "buffer", streamFirst: true }],
    ["hide words", { mode: "window" }],
  ])("and %s with %o is not", async (rail, streaming) => {
    await expect(open(rail, streaming)).resolves.toBeInstanceOf(Guardrails);
  });
});

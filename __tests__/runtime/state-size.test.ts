import { describe, expect, it } from "@jest/globals";
import { LimitError } from "../../src/diagnostics/errors.js";
import { STATE_SIZE } from "../../src/engine/limits.js";
import type { TurnMessage } from "../../src/turn/options.js";
import { openBench } from "./bench.js";

const go: TurnMessage = { role: "event", event: { type: "Go" } };
const DIALECTS = {
  "Colang 1.0": { colang: 'define flow\n  event Go\n  bot said\n\ndefine bot said\n  "said"\n', yaml: "models: []\n" },
  "Colang 2.x": {
    colang: 'import core\n\nflow main\n  while True\n    match Go()\n    bot say "said"\n',
    yaml: 'colang_version: "2.x"\n',
  },
} as const;

describe.each(Object.entries(DIALECTS))("the state of a conversation of %s", (_, config) => {
  it("has a limit over many turns, and stays as it was when a turn exceeds it", async () => {
    const { runtime } = await openBench({ ...config, bare: true });
    let state: unknown = {};
    let turns = 0;
    const keep = async (): Promise<void> => {
      const context = { [`text_${turns}`]: String(turns).repeat(4_000_000).slice(0, 4_000_000) };
      ({ state } = await runtime.turn([go], { state, context }));
      turns += 1;
    };
    const growing = (async () => {
      for (let turn = 0; turn < 100; turn += 1) await keep();
    })();
    await expect(growing).rejects.toMatchObject({ code: "RL-401", limit: "stateSize", maximum: STATE_SIZE });
    await expect(keep()).rejects.toBeInstanceOf(LimitError);
    expect(turns).toBeLessThan(STATE_SIZE / 4_000_000);
    expect((await runtime.turn([go], { state })).text).toBe("said");
    // Dropped variables make room.
    expect((await runtime.turn([go], { state, context: { text_0: null, text_1: null } })).text).toBe("said");
  });
});

it("reads a global that contains itself as null, and the conversation goes on", async () => {
  const colang = `import core

flow main
  global $list
  $list = []
  while True
    match Go()
    ($list.append($list))
    bot say "said"
`;
  const { runtime } = await openBench({ colang, yaml: 'colang_version: "2.x"\n', bare: true });
  let state: unknown = {};
  for (let turn = 0; turn < 3; turn += 1) {
    const result = await runtime.turn([go], { state, outputVars: ["list"] });
    expect([result.text, result.outputData]).toEqual(["said", { list: null }]);
    state = JSON.parse(JSON.stringify(result.state));
  }
});

import { propertyRuns } from "../support/property-runs.js";
import { describe, expect, it } from "@jest/globals";
import type { ActionContext } from "../../src/actions/action.js";
import { dispatch } from "../../src/actions/dispatcher.js";
import { ActionRegistry } from "../../src/actions/registry.js";
import { EngineConversation, type Round } from "../../src/colang2/engine/conversation.js";
import { readState } from "../../src/colang2/engine/state/stored/read-state.js";
import { writeState } from "../../src/colang2/engine/state/stored/encode.js";
import type { Colang2Program } from "../../src/colang2/program.js";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import { type GuardrailsEvent, countingIds } from "../../src/engine/events.js";
import { createColang2Actions } from "../../src/runtime/colang2/generation/actions.js";
import { COLANG2_SERVICE, accessConversation } from "../../src/runtime/colang2/generation/conversation-access.js";
import { createColang2Generation } from "../../src/runtime/colang2/generation/services.js";
import { admitEvent, completeEvent } from "../../src/runtime/colang2/run.js";
import { HostLoop } from "../../src/runtime/colang2/host-loop.js";
import type { LocalAction } from "../../src/runtime/colang2/local-actions.js";
import { actionContext } from "../actions/context.js";
import { compileProgram } from "../runtime/colang2/generation/program.js";
import { readScenarios } from "./scenario.js";
import { playScenario } from "./scenario-player.js";
import { compileText, Driver } from "./engine-driver.js";
import { missingTest, readConformanceRows } from "../conformance/conformance-table.js";

const scenarios = readScenarios().filter(({ source }) => source.includes("import "));

/** Actions that run in the host; the scenario responds to all others. */
const FLOW_ACTIONS = new Set([
  "AddFlowsAction",
  "RemoveFlowsAction",
  "CheckFlowDefinedAction",
  "CheckValidFlowExistsAction",
]);

const source = { clock: { now: () => 0 }, ids: countingIds("e"), sourceUid: "test" };
const { signal } = new AbortController();
const { settings: SETTINGS } = await loadConfigFromContent({ colang: "", config: {} });

/** A conversation on the host loop of the runtime, stored and read again between the calls if wanted. */
class Host {
  readonly #program: Colang2Program;
  readonly #roundTrips: boolean;
  readonly #registry: ActionRegistry;
  #engine: EngineConversation;

  constructor(text: string, seed: number, roundTrips: boolean) {
    this.#program = compileProgram(text);
    this.#roundTrips = roundTrips;
    this.#engine = new EngineConversation(this.#program, { seed });
    const { clock } = source;
    const createIndex = () => ({ search: () => Promise.resolve([]) });
    const generation = createColang2Generation({ settings: SETTINGS, program: this.#program, createIndex, clock });
    this.#registry = new ActionRegistry(createColang2Actions(generation).filter(({ name }) => FLOW_ACTIONS.has(name)));
  }

  /** Starts an action that manages flows, as the runtime does with all of its own. */
  #launch(request: GuardrailsEvent, onRound: (round: Round) => void): LocalAction | undefined {
    const name = request.type.replace(/^Start/, "");
    if (this.#registry.get(name) === undefined) return undefined;
    const { type: _type, uid: _uid, action_uid: uid, ...params } = request;
    const access = accessConversation(
      () => this.#engine,
      onRound,
      () => undefined,
    );
    const context = (): ActionContext => actionContext({ config: SETTINGS, services: { [COLANG2_SERVICE]: access } });
    const done = Promise.resolve(dispatch({ registry: this.#registry, name, params, context, timeoutMs: 0, signal }));
    return {
      stop: () => undefined,
      done: done.then((outcome) => {
        if (!outcome.ok) throw outcome.error;
        const end = { is_success: true, return_value: outcome.result.returnValue ?? null };
        return { events: [{ type: `${name}Finished`, action_uid: uid, ...end }] };
      }),
    };
  }

  async batch(...events: readonly GuardrailsEvent[]): Promise<readonly GuardrailsEvent[]> {
    const loop: HostLoop = new HostLoop({
      engine: this.#engine,
      local: { launch: (request) => this.#launch(request, (round) => loop.noteRound(round)) },
      instantActions: new Set(["UtteranceBotAction"]),
      maxEvents: 500,
      complete: (draft) => completeEvent(draft, source),
    });
    const admitted = events.map((event) => admitEvent(event, source));
    const { output, overflow } = await loop.run(admitted, { signal, blocking: true });
    expect(overflow).toBeUndefined();
    if (this.#roundTrips) {
      const stored: unknown = JSON.parse(JSON.stringify(writeState(this.#engine.state)));
      this.#engine = new EngineConversation(readState(this.#program, stored));
    }
    // An utterance that ends at once is shown as `SAY`.
    return output.flatMap((event) => {
      if (event.type === "UtteranceBotActionStarted") return [];
      return event.type === "UtteranceBotActionFinished" ? [{ type: "SAY", script: event["final_script"] }] : [event];
    });
  }
}

it("the scenarios of the standard library are all there", () => {
  const library = Array.from({ length: 12 }, (_, at) => `L${String(at + 1).padStart(2, "0")}`);
  expect(scenarios.map(({ id }) => id)).toEqual(["N39", "N46", ...library]);
});

describe.each([
  ["in one go", false],
  ["stored and read again after every call", true],
])("scenarios of the standard library, %s", (_, roundTrips) => {
  it.each(scenarios.map((scenario) => [scenario.id, scenario.title, scenario] as const))(
    "%s %s",
    async (_id, _title, scenario) => {
      for (const seed of [1, 2, 3]) {
        const host = new Host(scenario.source, seed, roundTrips);
        await playScenario(scenario, async (...events) =>
          (await host.batch(...events)).filter(({ timer_name: name }) => !String(name).startsWith("llm_polling")),
        );
      }
    },
  );
});

describe("scenarios of the engine", () => {
  const scenarios = readScenarios().filter(({ source }) => !source.includes("import "));

  const OPTIONS: Readonly<Record<string, { readonly conflictPolicy: "modality" }>> = {
    N36: { conflictPolicy: "modality" },
  };

  /** Each scenario is compiled once for all its runs. */
  const programs = new Map(scenarios.map(({ source }) => [source, compileText(source)]));

  describe.each([
    ["in one go", false, propertyRuns(3)],
    ["stored and read again at every step", true, propertyRuns(1)],
  ])("conformance of the engine, %s", (_, roundTrips, seeds) => {
    it.each(scenarios.map((scenario) => [scenario.id, scenario.title, scenario] as const))(
      "%s %s",
      async (id, _title, scenario) => {
        const program = programs.get(scenario.source) ?? compileText(scenario.source);
        for (let seed = 1; seed <= seeds; seed += 1) {
          const driver = new Driver(program, { ...OPTIONS[id], seed, roundTrips });
          await playScenario(scenario, (...events) => driver.batch(...events));
        }
      },
    );
  });
});

const rows = readConformanceRows("conformance-colang-2.md");

/** Numbers of the scenarios with this prefix. */
const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${String(at + 1).padStart(2, "0")}`);

describe("docs/conformance-colang-2.md", () => {
  it.each([
    ["Differences from NeMo Guardrails", 93],
    ["Details of the language", 19],
    ["Conformance scenarios", 9],
    ["Cost", 13],
    ["Rules of language and engine", 27],
  ])("has all rules below %s", (section, count) => {
    const rules = rows.filter((row) => row.section === section).map(({ point }) => point);
    expect(new Set(rules).size).toBe(count);
  });

  it("names every scenario there is", () => {
    expect(
      readScenarios()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...numbered("F", 34), ...numbered("L", 12), ...numbered("N", 54), ...numbered("S", 87)]);
  });

  it.each(rows)("$point: $file has `$title`", (row) => {
    expect(missingTest(row)).toBeUndefined();
  });
});

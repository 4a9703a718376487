import { beforeAll, describe, expect, it } from "@jest/globals";
import { KEEPABLE, UNKEEPABLE } from "../../scripts/fuzz/hostile-values.js";
import { actionResult } from "../../src/actions/action-result.js";
import { GuardrailsError } from "../../src/diagnostics/errors.js";
import type { TurnMessage, TurnOptions } from "../../src/turn/options.js";
import type { Runtime } from "../../src/runtime/port.js";
import { openBench } from "./bench.js";

/** Result of the action in the next turn. */
let returned: () => unknown = () => null;
const odd = (): unknown => returned();

const OPEN = {
  "Colang 1.0": async () => {
    const colang = 'define flow\n  event Go\n  $got = execute odd\n  bot said\n\ndefine bot said\n  "said"\n';
    return (await openBench({ colang, actions: { odd }, bare: true })).runtime;
  },
  "Colang 2.x": async () => {
    const colang =
      'import core\n\nflow main\n  while True\n    match Go()\n    $got = await OddAction()\n    bot say "said"\n';
    const yaml = 'colang_version: "2.x"\n';
    return (await openBench({ colang, yaml, actions: { OddAction: odd }, bare: true })).runtime;
  },
} as const;
type Dialect = keyof typeof OPEN;

interface Entry {
  /** Name of the place in errors. */
  readonly at: string;
  /** The error is in the log: the turn itself has an outcome. */
  readonly isLogged?: true;
  give(order: unknown, state: unknown): { readonly messages: readonly TurnMessage[]; readonly options?: TurnOptions };
}

const go: TurnMessage = { role: "event", event: { type: "Go" } };
const ENTRIES: Readonly<Record<string, Entry>> = {
  "the `context` option": {
    at: "context.order",
    give: (order) => ({ messages: [go], options: { context: { order } } }),
  },
  "a context message": {
    at: "context.order",
    give: (order) => ({ messages: [{ role: "context", content: { order } }, go] }),
  },
  "a field of an event": {
    at: "event.order",
    give: (order) => ({ messages: [{ role: "event", event: { type: "Go", order } }] }),
  },
  "the data of a ContextUpdate": {
    at: "event.data.order",
    give: (order) => ({ messages: [{ role: "event", event: { type: "ContextUpdate", data: { order } } }, go] }),
  },
  "the result of an action": {
    at: "order",
    isLogged: true,
    give: (order) => {
      returned = () => ({ order });
      return { messages: [go] };
    },
  },
  "context updates of an action": {
    at: "contextUpdates.order",
    isLogged: true,
    give: (order) => {
      returned = () => actionResult({ contextUpdates: { order } });
      return { messages: [go] };
    },
  },
  "a stored state": {
    at: "state.order",
    give: (order, state) => ({ messages: [go], options: { state: { ...(state as object), order } } }),
  },
};

const LARGE: ReadonlySet<string> = new Set(["deep maps", "many items", "long texts"]);

describe.each(Object.keys(OPEN) as Dialect[])("a value that enters a conversation of %s", (dialect) => {
  let runtime: Runtime;
  let state: unknown;
  beforeAll(async () => {
    runtime = await OPEN[dialect]();
    state = (await runtime.turn([go], { state: {} })).state;
  });

  const give = async (entry: Entry, value: unknown) => {
    returned = () => null;
    const { messages, options } = entry.give({ items: ["a", value] }, state);
    return runtime.turn(messages, { state, ...options });
  };

  it.each(Object.entries(ENTRIES))("is refused with its path if it cannot be kept: %s", async (_, entry) => {
    const isState = entry.at === "state.order";
    for (const [name, make] of Object.entries(UNKEEPABLE)) {
      if (isState && LARGE.has(name)) continue;
      const outcome: unknown = await give(entry, make()).catch((error: unknown) => error);
      const error = entry.isLogged ? (outcome as { log: { errors: readonly unknown[] } }).log.errors[0] : outcome;
      if (!entry.isLogged) expect([name, GuardrailsError.isInstance(error)]).toEqual([name, true]);
      const { code, message, cause } = error as GuardrailsError;
      expect([name, code]).toEqual([name, expect.stringMatching(isState ? /^RL-402$/ : /^(RL-101|RL-401|CO-407)$/)]);
      const text = isState ? (cause as Error).message : message;
      // A limit counts the whole value, so its error names the whole.
      const isLimit = /exceeds the limit|more than/.test(text);
      expect([name, text]).toEqual([name, expect.stringContaining(isLimit ? "" : `${entry.at}.items[1]`)]);
    }
    expect((await give(entry, "fine")).log.errors).toEqual([]);
  });

  it.each(Object.entries(ENTRIES))("is kept as JSON if it has that form: %s", async (_, entry) => {
    for (const [name, make] of Object.entries(KEEPABLE)) {
      const result = await give(entry, make());
      expect([name, result.log.errors, result.text]).toEqual([name, [], "said"]);
      expect(JSON.parse(JSON.stringify(result.state))).toEqual(result.state);
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

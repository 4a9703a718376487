import { checkResult, actionResult } from "../../src/actions/dispatcher.js";
import { copyValue, fromOutside, toOutside } from "../../src/colang2/engine/values/plain-values.js";
import { GuardrailsError } from "../../src/diagnostics/errors.js";
import { toPlainData } from "../../src/engine/plain-data.js";
import { readEvent } from "../../src/engine/events.js";
import { contextVariables } from "../../src/langchain/values/plain-object.js";
import { assignContext } from "../../src/turn/conversation.js";
import { makeHostileValue } from "./hostile-values.js";

/** Entry points for values of a host: each returns plain data, or throws a GuardrailsError. */
const ENTRIES: Readonly<Record<string, (value: unknown) => unknown>> = {
  event: (value) => readEvent({ type: "E", value }),
  update: (value) => readEvent({ type: "ContextUpdate", data: { value } }),
  context: (value) => {
    const target: Record<string, unknown> = {};
    assignContext(target, { value });
    return target;
  },
  input: (value) => contextVariables({ value }),
  result: (value) => checkResult("act", value),
  updates: (value) => checkResult("act", actionResult({ contextUpdates: { value } })),
};

export function checkHostileValue(text: string): void {
  const made = makeHostileValue(text);
  if (made === undefined) return;
  for (const [name, enter] of Object.entries(ENTRIES)) {
    let entered: unknown;
    try {
      entered = enter(made.value);
    } catch (error) {
      if (!GuardrailsError.isInstance(error)) throw error;
      if (error.message.length > 1000) {
        throw new Error(`the error of \`${name}\` is not fit to print`, { cause: error });
      }
      continue;
    }
    const json = JSON.stringify(entered);
    if (JSON.stringify(JSON.parse(json)) !== json) throw new Error(`what \`${name}\` gave is not plain JSON`);
    if (JSON.stringify(toOutside(copyValue(fromOutside(entered)))) !== json)
      throw new Error(`the engine changes what \`${name}\` gave`);
  }
  const plain = toPlainData(made.value, { at: "value" });
  if (!plain.ok && !plain.problem.path.startsWith("value")) throw new Error(`no path: ${plain.problem.path}`);
  if (Object.hasOwn(Object.prototype, "polluted")) throw new Error("a prototype was changed");
}

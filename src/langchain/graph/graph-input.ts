import { assignParts, type CommandLike, isCommand } from "../tools/tool-output.js";
import { shapeError } from "../shape-error.js";
import type { UserInput } from "../values/input-object.js";
import { copyOf, isObject } from "../values/message-kinds.js";

/** Input of a runnable that may be a graph. */
export interface GraphInput {
  /** The value that rails read; of a command, the update of the state. */
  readonly value: unknown;
  /** Set for a call that only continues a graph: the input without texts. */
  readonly silent?: UserInput;
  /** Returns the input of the runnable for a value that rails have read. */
  readonly send: (value: unknown) => unknown;
}

/**
 * Opens the input of a runnable. A `Command` resumes or updates a graph, and `null` continues one: what a command writes to the
 * state is input of the user; a value that resumes an interrupt comes from the application.
 *
 * @throws InputShapeError for a command that sends arguments to nodes, which no rail would read, and for a graph whose config
 *   asks for its steps: rails read its state
 */
export function openGraphInput(given: unknown, runnable: object, config: object): GraphInput {
  const isGraph = "lg_is_pregel" in runnable;
  const { streamMode = "values" } = config as { readonly streamMode?: unknown };
  if (isGraph && streamMode !== "values") {
    throw shapeError(
      'expected `streamMode: "values"`',
      streamMode,
      "to stream steps, guard the nodes (`guardrailsNode`)",
    );
  }
  if (isCommand(given)) return openCommand(given);
  const continues = given === null && isGraph;
  return { value: given, send: (value) => value, ...(continues ? { silent: silentInput(given) } : {}) };
}

function openCommand(command: CommandLike): GraphInput {
  const { update, goto } = command;
  if ([goto].flat().some(isObject)) {
    const hint = "write to the state with `update`, and name the nodes alone";
    throw shapeError("expected a command without arguments for nodes", command, hint);
  }
  if (update === undefined || update === null) {
    return { value: update, silent: silentInput(update), send: () => command };
  }
  const send = (value: unknown): unknown =>
    value === update ? command : assignParts(copyOf(command, {}), { update: value });
  return { value: update, send };
}

function silentInput(value: unknown): UserInput {
  const input: UserInput = {
    value,
    messages: [],
    pending: [],
    histories: [],
    variables: {},
    edited: () => input,
    rewrite: () => value,
    refuse: () => value,
  };
  return input;
}

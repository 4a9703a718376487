import { isCommand } from "../tools/tool-output.js";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { _coerceToRunnable, type Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { InputShapeError } from "../../diagnostics/errors.js";
import { type Answer } from "../values/answer.js";
import { readAnswer } from "../values/read-answer.js";
import { askInner } from "../callbacks.js";
import { isChatModel, isModel } from "../models/model-traits.js";
import { adaptModel } from "../models/chat-model.js";
import { closing } from "../call.js";
import {
  type GuardedTurn,
  takeGuardedTurn,
  openInput,
  readGuardedInput,
  reviewAnswer,
  reviewInput,
} from "../review/review.js";
import { reviewEvidence } from "../review/evidence-review.js";
import { withDelegatedCalls } from "../tools/tool-calls.js";
import { extractText } from "../values/content.js";
import { isMessageLike, isObject, type PlainObject, toMessage } from "../values/message-kinds.js";
import { shapeError } from "../shape-error.js";
import { readUserInput, rewriteMessages } from "../values/read-user-input.js";
import { type UserInput } from "../values/input-object.js";
import {
  type NodeStage,
  changedEntries,
  hiddenUpdate,
  joinUpdates,
  messagesKeyOf,
  messagesOf,
  type NodeRun,
  type NodeWrite,
  rewrittenUpdate,
  applyNodeBlock,
  utteranceUpdate,
  questionAndEvidenceOf,
} from "./node-state.js";
import { messageUpdates } from "./message-updates.js";

const NOTHING: NodeWrite = { update: {}, verdict: { blocked: false, decisions: [] } };

/** Implementation of each kind of node. */
export const STAGES: Readonly<Record<NodeStage, (run: NodeRun) => Promise<NodeWrite>>> = {
  input: checkInput,
  output: (run) => (run.options.around === undefined ? checkOutput(run) : guardOutput(run)),
  retrieval: checkRetrieval,
  turn: takeTurn,
};

async function checkInput(run: NodeRun): Promise<NodeWrite> {
  const input = await readInput(run);
  const review = await reviewInput(input, run.call);
  const { block, verdict } = review;
  if (block === undefined) return { update: rewrittenUpdate(run, input, review.texts), verdict };
  const hidden = hiddenUpdate(run, input, review.blockedAt);
  const update = await applyNodeBlock(run, block, run.state, (refusal) =>
    joinUpdates(run, hidden, utteranceUpdate(run, refusal, verdict)),
  );
  return { update, verdict };
}

/** The answer is in the state already; it is replaced there. */
async function checkOutput(run: NodeRun): Promise<NodeWrite> {
  const { state, options } = run;
  const key = messagesKeyOf(options);
  const before = options.outputKey === undefined ? { [key]: messagesOf(run) } : state;
  const { update, verdict } = await reviewUpdate(run, before);
  const changed = changedEntries(before, update);
  const [messages, after] = [before[key], changed[key]];
  if (!Array.isArray(messages) || !Array.isArray(after)) return { update: changed, verdict };
  return { update: { ...changed, [key]: messageUpdates(messages, after) }, verdict };
}

/** The answer never gets there before it was reviewed. */
async function guardOutput(run: NodeRun): Promise<NodeWrite> {
  const { around, inputKey } = run.options;
  if (isModel(around)) {
    const input = inputKey === undefined ? messagesOf(run) : [new HumanMessage(String(run.state[inputKey] ?? ""))];
    return reviewUpdate(run, await askModel(run, around, input));
  }
  const result = await runInner(run, run.state, run.call.config);
  const { update, command } = openCommand(result);
  if (update === undefined) return { ...NOTHING, command };
  return { ...(await reviewUpdate(run, update)), command };
}

async function reviewUpdate(run: NodeRun, update: PlainObject): Promise<NodeWrite> {
  const output = update[run.options.outputKey ?? messagesKeyOf(run.options)];
  if (Array.isArray(output) && output.length === 0) return { ...NOTHING, update };
  const answer = readUpdate(run, update);
  const { question, evidence } = questionAndEvidenceOf(run);
  const subject = {
    ...answer,
    userText: answer.userText ?? question,
    relevantChunks: answer.relevantChunks ?? evidence,
  };
  const review = await reviewAnswer(subject, run.call);
  const { block, verdict } = review;
  if (block === undefined) {
    const reviewed = readUpdate(run, review.answer.rewrite(review.texts[0] ?? answer.text) as PlainObject);
    return { update: reviewed.mark(verdict) as PlainObject, verdict };
  }
  const blocked = await applyNodeBlock(run, block, update, (refusal) => answer.refuse(refusal, verdict) as PlainObject);
  return { update: blocked, verdict };
}

async function checkRetrieval(run: NodeRun): Promise<NodeWrite> {
  const { state, call, options } = run;
  const key = options.contextKey ?? "context";
  const inner = options.around === undefined ? { update: state } : openCommand(await runInner(run, state, call.config));
  const given = inner.update?.[key];
  if (inner.update === undefined || (options.around !== undefined && given === undefined)) {
    return { ...NOTHING, update: inner.update ?? {}, command: inner.command };
  }
  const { evidence, block, verdict } = await reviewEvidence(given, call, questionAndEvidenceOf(run).question);
  const base = options.around === undefined ? {} : inner.update;
  const rewritten = evidence === given ? base : { ...base, [key]: evidence };
  const update = block === undefined ? rewritten : await applyNodeBlock(run, block, given, () => rewritten);
  return { update, verdict, command: inner.command };
}

async function takeTurn(run: NodeRun): Promise<NodeWrite> {
  const { stateKey } = run.options;
  const keeps = stateKey === undefined ? {} : { state: run.state[stateKey] ?? {} };
  return closing(run.call.with({ options: keeps }), (call) => takeTurnOf({ ...run, call }));
}

async function takeTurnOf(run: NodeRun): Promise<NodeWrite> {
  const { state, call, options } = run;
  const { stateKey } = options;
  const input = await readInput(run);
  const inner: { command?: object | undefined } = {};
  const outcome = await takeGuardedTurn({ call, input, tools: options.tools, ...responderOf(run, input, inner) });
  const { turn } = outcome;
  const dialog = stateKey === undefined || turn?.state === undefined ? {} : { [stateKey]: turn.state };
  const { command } = inner;
  if (outcome.kind === "blocked") {
    const { block, answer, blockedAt } = outcome;
    // A blocked tool result is input too; then no model was called.
    const atInput = block.verdict.stage === "input" || (block.verdict.stage === "execution" && answer === undefined);
    const hidden = atInput ? hiddenUpdate(run, input, blockedAt) : {};
    const update = await applyNodeBlock(run, block, answer?.value ?? state, (refusal) => {
      const refused =
        answer === undefined || atInput
          ? utteranceUpdate(run, refusal, block.verdict)
          : (answer.refuse(refusal, block.verdict) as PlainObject);
      return joinUpdates(run, hidden, refused);
    });
    return { update: { ...update, ...dialog }, verdict: block.verdict, command };
  }
  const { verdict } = outcome;
  const rewritten = rewrittenUpdate(run, input, outcome.texts);
  const output =
    outcome.kind === "spoken"
      ? utteranceUpdate(run, outcome.text, verdict, outcome.calls)
      : (withDelegatedCalls(
          readUpdate(run, outcome.answer.rewrite(outcome.text) as PlainObject).mark(verdict),
          outcome.calls ?? [],
        ) as PlainObject);
  return { update: { ...joinUpdates(run, rewritten, output), ...dialog }, verdict, command };
}

/** Responder of a turn: the guarded node or model; undefined if the configuration's own model responds. */
function responderOf(
  run: NodeRun,
  input: UserInput,
  inner: { command?: object | undefined },
): Pick<GuardedTurn, "responder" | "main" | "asksAhead"> {
  const { around } = run.options;
  if (around === undefined) {
    const { hasMain, hasDialog } = run.call.host.runtime;
    if (hasMain || hasDialog) return {};
    throw new InputShapeError(
      "there is no main model to answer the user; give one with the `llm` option or under `models`, or say with `around` " +
        "which model or node answers",
    );
  }
  const model = isModel(around) ? around : undefined;
  const ask = async (texts: readonly string[], config: RunnableConfig): Promise<Answer> => {
    if (model !== undefined) {
      return readUpdate(run, await askModel(run, model, [...rewriteMessages(input, texts)], config));
    }
    const state =
      run.options.inputKey === undefined
        ? { ...run.state, [messagesKeyOf(run.options)]: rewriteMessages(input, texts) }
        : (input.rewrite(texts) as PlainObject);
    const { update, command } = openCommand(await runInner(run, state, config));
    inner.command = command;
    return readUpdate(run, update ?? {});
  };
  // A node may do more than answer; a model only answers.
  const responder = { ask };
  return model === undefined ? { responder } : { responder, main: adaptModel(model), asksAhead: true };
}

/** The update of a node that only asks a model. */
async function askModel(
  run: NodeRun,
  model: Runnable,
  messages: readonly BaseMessage[],
  config: RunnableConfig = run.call.config,
): Promise<PlainObject> {
  const { outputKey } = run.options;
  const output: unknown = await askInner(model, [...messages], config);
  if (outputKey !== undefined)
    return { [outputKey]: typeof output === "string" ? output : extractText(output as BaseMessage) };
  return { [messagesKeyOf(run.options)]: [isChatModel(model) ? output : new AIMessage(String(output))] };
}

/** @throws InputShapeError when the place of the user's text is unknown */
async function readInput(run: NodeRun): Promise<UserInput> {
  const { inputKey, contextKey } = run.options;
  if (inputKey !== undefined) return readGuardedInput(run.state, run.call, { inputKey, contextKey, readsKeys: false });
  const input = readUserInput(messagesOf(run));
  const evidence = questionAndEvidenceOf({
    ...run,
    options: { ...run.options, contextKey: contextKey ?? "context" },
  }).evidence;
  const variables =
    evidence === undefined ? {} : { relevant_chunks: evidence.join("\n"), relevant_chunks_sep: evidence };
  return openInput({ ...input, variables }, run.call);
}

function readUpdate(run: NodeRun, update: PlainObject): Answer {
  const { contextKey, keepContext, verdictKey: _written, ...options } = run.options;
  const key = options.outputKey ?? messagesKeyOf(options);
  const output = update[key];
  const list =
    key === options.outputKey || output === undefined
      ? output
      : (Array.isArray(output) ? output : [output]).map(coerce);
  return readAnswer({ ...update, [key]: list }, { outputKey: key, contextKey, keepContext });
}

function coerce(value: unknown): unknown {
  return isMessageLike(value) ? toMessage(value) : value;
}

function runInner(run: NodeRun, state: PlainObject, config: RunnableConfig): Promise<unknown> {
  const inner = _coerceToRunnable(run.options.around as never) as Runnable<PlainObject, unknown>;
  return askInner(inner, state, config);
}

/** The update of a node, also inside a command; undefined when it writes nothing. */
function openCommand(result: unknown): { readonly update?: PlainObject; readonly command?: object } {
  if (isCommand(result)) return { ...openCommand(result.update), command: result };
  if (result === undefined || result === null) return {};
  if (!isObject(result)) {
    throw shapeError("this update of a node cannot be checked", result, "return an object of channels, or a `Command`");
  }
  return { update: result };
}

import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { InputShapeError } from "../../diagnostics/errors.js";
import { type BotResponse } from "../values/response.js";
import { readResponse } from "../values/read-response.js";
import { isModel } from "../models/model-traits.js";
import { adaptModel } from "../models/chat-model.js";
import { runAndClose } from "../call.js";
import { applyBlock } from "../blocked.js";
import { hiddenMessage, registerVerdict } from "../verdict.js";
import { evidenceTexts } from "../values/evidence.js";
import type { Block, GuardrailsMetadata } from "../../turn/decision.js";
import { takeGuardedTurn, openInput, readGuardedInput, reviewResponse, reviewInput } from "../review/review.js";
import { reviewEvidence } from "../review/evidence-review.js";
import { type DelegatedCall, withDelegatedCalls } from "../tools/tool-calls.js";
import { extractText } from "../values/content.js";
import { isObject, isMessageLike, type PlainObject, roleOf, toMessage } from "../values/message-kinds.js";
import { shapeError } from "../shape-error.js";
import { restore } from "../tools/restored-output.js";
import { readUserInput, rewriteMessages } from "../values/read-user-input.js";
import { type UserInput } from "../values/input-object.js";
import { MessagesOfCall } from "../review/known-messages.js";
import { reviewThrownResult } from "../review/thrown-results.js";
import { wholeText } from "../values/message-extras.js";
import type { NodeRun, NodeStage, NodeWork, NodeWrite } from "./node-state.js";
import { reviewRetrieved } from "./node-evidence.js";
import { askModel, runInner, reviewedWork, readableWork } from "./node-work.js";

const NOTHING: NodeWrite = { update: {}, verdict: { blocked: false, decisions: [] } };

/** Implementation of each kind of node. */
export const STAGES: Readonly<Record<NodeStage, (run: NodeRun) => Promise<NodeWrite>>> = {
  input: checkInput,
  output: (run) => (run.options.around === undefined ? checkOutput(run) : guardOutput(run)),
  retrieval: checkRetrieval,
  turn: takeTurn,
};

async function checkInput(given: NodeRun): Promise<NodeWrite> {
  const run = await withValues(given);
  const input = await readInput(run);
  const { block, verdict, texts, blockedAt } = await reviewInput(input, run.call);
  if (block === undefined) return { update: rewrittenUpdate(run, input, texts), verdict };
  const hidden = hiddenUpdate(run, input, blockedAt);
  const update = await applyNodeBlock(run, block, run.state, (refusal) =>
    joinUpdates(run, hidden, utteranceUpdate(run, refusal, verdict)),
  );
  return { update, verdict };
}

/**
 * Restores the values of pseudonyms in earlier messages of the state. An earlier run of the node wrote the pseudonyms;
 * reviewed again as user texts, they would count as literal text.
 */
async function withValues(run: NodeRun): Promise<NodeRun> {
  const { inputKey, messagesKey } = run.options;
  const { pseudonyms } = run.call.conversation;
  if (inputKey !== undefined || !pseudonyms.isUsed) return run;
  await pseudonyms.read();
  const { table } = pseudonyms;
  if (table === undefined) return run;
  const messages = messagesOf(run);
  const [first = messages.length] = readUserInput(messages).pending;
  const restored = messages.map((message, index) => (index < first ? restore(message, table) : message));
  return { ...run, state: { ...run.state, [messagesKey]: restored } };
}

/** The response is already in the state and is replaced there. */
async function checkOutput(run: NodeRun): Promise<NodeWrite> {
  const { messagesKey: key, outputKey } = run.options;
  const before = outputKey === undefined ? { [key]: messagesOf(run) } : run.state;
  const { update, verdict } = await reviewUpdate(run, before);
  const changed = changedEntries(before, update);
  const [messages, after] = [before[key], changed[key]];
  if (!Array.isArray(messages) || !Array.isArray(after)) return { update: changed, verdict };
  return { update: { ...changed, [key]: messageUpdates(messages, after) }, verdict };
}

/** The response enters the state only after review. */
async function guardOutput(run: NodeRun): Promise<NodeWrite> {
  const { around, inputKey } = run.options;
  const known = messagesOfRun(run);
  if (isModel(around)) {
    const input = inputKey === undefined ? messagesOf(run) : [new HumanMessage(String(run.state[inputKey] ?? ""))];
    return reviewUpdate(run, await askModel(run, around, input), known);
  }
  const work = await runInner(run, run.state, run.call.config).catch((error: unknown) => refuseThrown(run, error));
  if ("verdict" in work) return work;
  const empty = emptyUpdate(run);
  const readable = readableWork(work, empty);
  if (readable === undefined) return { ...NOTHING, command: work.command };
  // A node may write other channels only; they are reviewed without a response.
  const whole = run.options.outputKey === undefined && isObject(readable) ? { ...empty, ...readable } : readable;
  const { update, ...write } = await reviewUpdate(run, whole, known);
  return { ...write, ...reviewedWork(work, update, empty) };
}

/** The update of a node without a response. */
function emptyUpdate({ options: { outputKey, messagesKey } }: NodeRun): PlainObject {
  return outputKey === undefined ? { [messagesKey]: [] } : { [outputKey]: "" };
}

/**
 * The write of a node that interrupts, or commands the graph around, if rails block that.
 *
 * @throws the error itself, unless rails block it
 */
async function refuseThrown(run: NodeRun, error: unknown): Promise<NodeWrite> {
  const { block } = await reviewThrownResult(error, run.call, questionAndEvidenceOf(run).question);
  const { verdict } = block;
  const update = await applyNodeBlock(run, block, run.state, (refusal) => utteranceUpdate(run, refusal, verdict));
  return { update, verdict };
}

/** The messages of the state need no review when a node writes them again. */
function messagesOfRun(run: NodeRun, sent?: () => readonly BaseMessage[]): MessagesOfCall {
  const known = new MessagesOfCall(run.call);
  const { inputKey } = run.options;
  const before = inputKey === undefined ? messagesOf(run) : [];
  const all = (): readonly BaseMessage[] => [...before, ...(sent?.() ?? [])];
  const asked = all().filter((message) => roleOf(message) === "user");
  known.send(
    asked.map((message) => wholeText(message)),
    all,
  );
  return known;
}

async function reviewUpdate(run: NodeRun, update: PlainObject, known?: MessagesOfCall): Promise<NodeWrite> {
  const output = update[run.options.outputKey ?? run.options.messagesKey];
  const response = readUpdate(run, update, known);
  if (Array.isArray(output) && output.length === 0 && response.text === "") return { ...NOTHING, update };
  const { question, evidence } = questionAndEvidenceOf(run);
  const subject = {
    ...response,
    userText: response.userText ?? question,
    relevantChunks: response.relevantChunks ?? evidence,
  };
  const { block, verdict, texts, response: reviewed } = await reviewResponse(subject, run.call);
  known?.note({ response, verdict, block });
  if (block === undefined) {
    const after = readUpdate(run, reviewed.rewrite(texts[0] ?? response.text), known);
    return { update: after.mark(verdict) as PlainObject, verdict };
  }
  const blocked = await applyNodeBlock(
    run,
    block,
    update,
    (refusal) => response.refuse(refusal, verdict) as PlainObject,
  );
  return { update: blocked, verdict };
}

async function checkRetrieval(run: NodeRun): Promise<NodeWrite> {
  const { state, call, options } = run;
  const key = options.contextKey ?? "context";
  const { question } = questionAndEvidenceOf(run);
  const emptied = (block: Block, given: unknown, update: PlainObject): Promise<PlainObject> =>
    applyNodeBlock(run, block, given, () => update);
  if (options.around === undefined) {
    const { evidence, block, verdict } = await reviewEvidence(state[key], call, question);
    const update = evidence === state[key] ? {} : { [key]: evidence };
    return { update: block === undefined ? update : await emptied(block, state[key], update), verdict };
  }
  const work = await runInner(run, state, call.config).catch((error: unknown) => refuseQuestion(error));
  if ("verdict" in work) return work;
  const known = Array.isArray(state[options.messagesKey]) ? messagesOfRun(run) : new MessagesOfCall(call);
  const reviewed = await reviewRetrieved(run, work, { question, known });
  if (reviewed === undefined) return { ...NOTHING, update: work.update ?? {}, command: work.command };
  const { update, block, ...write } = reviewed;
  return { ...write, update: block === undefined ? update : await emptied(block, work.update?.[key], update) };

  async function refuseQuestion(error: unknown): Promise<NodeWrite> {
    const { block } = await reviewThrownResult(error, call, question, "retrieval");
    return { update: await emptied(block, undefined, { [key]: [] }), verdict: block.verdict };
  }
}

async function takeTurn(given: NodeRun): Promise<NodeWrite> {
  const { state, options } = given;
  const { stateKey, tools } = options;
  const keeps = stateKey === undefined ? {} : { state: state[stateKey] ?? {} };
  return runAndClose(given.call.with({ options: keeps }), async (call) => {
    const run = { ...given, call };
    const input = await readInput(run);
    const inner: { work: NodeWork } = { work: {} };
    const known = messagesOfRun(run, () => input.messages);
    const taking = takeGuardedTurn({ call, input, tools, ...responderOf(run, input, { inner, known }) });
    const outcome = await taking.catch((error: unknown) => refuseThrown(run, error));
    if ("update" in outcome) return outcome;
    known.note(outcome);
    const { turn, calls = [] } = outcome;
    const dialog = stateKey === undefined || turn?.state === undefined ? {} : { [stateKey]: turn.state };
    if (outcome.kind === "blocked") {
      const { block, response, blockedAt } = outcome;
      const { verdict } = block;
      // A blocked tool result is also input: no model was called after it.
      const atInput = verdict.stage === "input" || (verdict.stage === "execution" && response === undefined);
      const hidden = atInput ? hiddenUpdate(run, input, blockedAt) : {};
      const refuse = (refusal: string): PlainObject =>
        response === undefined || atInput
          ? joinUpdates(run, hidden, utteranceUpdate(run, refusal, verdict))
          : (response.refuse(refusal, verdict) as PlainObject);
      const update = await applyNodeBlock(run, block, response?.value ?? state, refuse);
      const work = reviewedWork(inner.work, update, emptyUpdate(run));
      return { verdict, ...work, update: { ...work.update, ...dialog } };
    }
    const { verdict, text } = outcome;
    const output =
      outcome.kind === "utterance"
        ? utteranceUpdate(run, text, verdict, calls)
        : withDelegatedCalls(readUpdate(run, outcome.response.rewrite(text), known).mark(verdict), calls);
    const work = reviewedWork(inner.work, output as PlainObject, emptyUpdate(run));
    const update = joinUpdates(run, rewrittenUpdate(run, input, outcome.texts), work.update);
    return { verdict, ...work, update: { ...update, ...dialog } };
  });
}

/** Responder of a turn: the guarded node or model; undefined if the configuration's own model responds. */
function responderOf(
  run: NodeRun,
  input: UserInput,
  { inner, known }: { readonly inner: { work: NodeWork }; readonly known: MessagesOfCall },
) {
  const { around, inputKey, messagesKey } = run.options;
  if (around === undefined) {
    const { hasMain, hasDialog } = run.call.host.runtime;
    if (hasMain || hasDialog) return {};
    throw new InputShapeError(
      "expected a main model to answer the user; pass one with the option `llm` or under `models`, or set `around` to the " +
        "model or node that answers",
    );
  }
  const model = isModel(around) ? around : undefined;
  const ask = async (texts: readonly string[], config: RunnableConfig): Promise<BotResponse> => {
    const messages = rewriteMessages(input, texts);
    if (model !== undefined) return readUpdate(run, await askModel(run, model, messages, config));
    const state = inputKey === undefined ? { ...run.state, [messagesKey]: messages } : input.rewrite(texts);
    inner.work = await runInner(run, state as PlainObject, config);
    return readUpdate(run, readableWork(inner.work, emptyUpdate(run)) ?? {}, known);
  };
  // A node may do more than response; a model only answers.
  const responder = { ask };
  return model === undefined ? { responder } : { responder, main: adaptModel(model), isSideEffectFree: true };
}

/** @throws InputShapeError when the place of the user's text is unknown */
async function readInput(run: NodeRun): Promise<UserInput> {
  const { inputKey, contextKey } = run.options;
  if (inputKey !== undefined) return readGuardedInput(run.state, run.call, { inputKey, contextKey, readsKeys: false });
  const input = readUserInput(messagesOf(run));
  const { evidence } = questionAndEvidenceOf(run);
  const variables =
    evidence === undefined ? {} : { relevant_chunks: evidence.join("\n"), relevant_chunks_sep: evidence };
  return openInput({ ...input, variables }, run.call);
}

function readUpdate(run: NodeRun, written: unknown, known?: MessagesOfCall): BotResponse {
  const update = written as PlainObject;
  const { outputKey, messagesKey, contextKey, keepContext } = run.options;
  const key = outputKey ?? messagesKey;
  const output = update[key];
  const isList = key !== outputKey && output !== undefined;
  const list = isList ? [output].flat().map((item) => (isMessageLike(item) ? toMessage(item) : item)) : output;
  const about = known === undefined ? {} : { known, asked: known.asked, mayBeEmpty: true };
  return readResponse({ ...update, [key]: list }, { outputKey: key, contextKey, keepContext, ...about });
}

/** @throws InputShapeError if the state has no list of messages under its key */
function messagesOf({ state, options }: NodeRun): readonly BaseMessage[] {
  const messages = state[options.messagesKey];
  if (Array.isArray(messages)) return messages.map(toMessage);
  const hint =
    "name the channel with `messagesKey`, or those of a state without messages with `inputKey` and `outputKey`";
  throw shapeError("expected a state with messages", state, hint);
}

/** The user's last text and the evidence, for rails that compare the response with them. */
function questionAndEvidenceOf({ state, options }: NodeRun) {
  const messages: unknown = state[options.messagesKey];
  const list = Array.isArray(messages) ? messages.map(toMessage) : [];
  const last = list.findLast((message) => roleOf(message) === "user");
  const text = options.inputKey === undefined ? undefined : state[options.inputKey];
  return {
    question: last === undefined ? (typeof text === "string" ? text : undefined) : extractText(last),
    evidence: evidenceTexts(state[options.contextKey ?? "context"]),
  };
}

/** The update for a refusal or a bot utterance: a message, or a text in the response's channel. */
function utteranceUpdate(
  run: NodeRun,
  text: string,
  verdict: GuardrailsMetadata,
  calls: readonly DelegatedCall[] = [],
): PlainObject {
  const { outputKey, inputKey } = run.options;
  if (outputKey !== undefined) return { [outputKey]: text };
  if (inputKey !== undefined) return {};
  const message = new AIMessage({
    content: text,
    response_metadata: { guardrails: registerVerdict(verdict) },
    ...(calls.length === 0 ? {} : { tool_calls: [...calls] }),
  });
  return { [run.options.messagesKey]: [message] };
}

/** The input as the rails left it. */
function rewrittenUpdate(run: NodeRun, input: UserInput, texts: readonly string[]): PlainObject {
  if (run.options.inputKey !== undefined) return changedEntries(run.state, input.rewrite(texts));
  const updates = messageUpdates(messagesOf(run), rewriteMessages(input, texts));
  return updates.length === 0 ? {} : { [run.options.messagesKey]: updates };
}

/**
 * Update that removes the blocked user messages and those after them that no rail reviewed.
 *
 * @param from - the first of the pending messages to remove. Default: all
 */
function hiddenUpdate(run: NodeRun, input: UserInput, from = 0): PlainObject {
  const { inputKey, messagesKey, blockedMessages } = run.options;
  if (inputKey !== undefined) return changedEntries(run.state, input.rewrite(input.pending.map(() => "")));
  const removes = blockedMessages === "remove";
  const updates = input.pending.slice(from).map((index) => {
    const message = input.messages[index] as BaseMessage;
    const id = idOf(message);
    return removes && roleOf(message) === "user" ? new RemoveMessage({ id }) : hiddenMessage(message);
  });
  return { [messagesKey]: updates };
}

/** Merges two updates; message lists are concatenated. */
function joinUpdates(run: NodeRun, first: PlainObject, second: PlainObject): PlainObject {
  const key = run.options.messagesKey;
  const both = [first[key], second[key]];
  if (!both.every(Array.isArray)) return { ...first, ...second };
  return { ...first, ...second, [key]: both.flat() };
}

/** Applies `onBlocked`. A string returned by a function is the refusal; anything else is the update itself. */
async function applyNodeBlock(
  run: NodeRun,
  block: Block,
  value: unknown,
  refuse: (refusal: string) => PlainObject,
): Promise<PlainObject> {
  const onBlocked = run.options.onBlocked ?? run.call.host.onBlocked ?? "refuse";
  const replacement: unknown = await applyBlock(block, value, onBlocked, refuse);
  return typeof replacement === "string" ? refuse(replacement) : ((replacement ?? {}) as PlainObject);
}

function changedEntries(before: PlainObject, after: unknown): PlainObject {
  const entries = Object.entries(after as PlainObject).filter(([key, value]) => before[key] !== value);
  return Object.fromEntries(entries);
}

/**
 * Updates that turn one list of messages into the other, for a graph's reducer, which replaces by id and removes what a
 * `RemoveMessage` names.
 *
 * @throws InputShapeError if a message to change has no id: the old one would stay in the state
 */
function messageUpdates(before: readonly BaseMessage[], after: readonly BaseMessage[]): BaseMessage[] {
  const kept = new Set<BaseMessage>(before);
  const ids = new Set(after.map(({ id }) => id));
  const gone = before.filter((message) => !after.includes(message) && !ids.has(idOf(message)));
  const removals = gone.map((message) => new RemoveMessage({ id: idOf(message) }));
  return [...removals, ...after.filter((message) => !kept.has(message))];
}

function idOf(message: BaseMessage): string {
  if (message.id !== undefined) return message.id;
  throw new InputShapeError(
    "expected an id on every message of the state to replace; use a channel with `messagesStateReducer`, such as that of " +
      "`MessagesAnnotation`",
  );
}

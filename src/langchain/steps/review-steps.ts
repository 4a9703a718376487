import {
  CALL_OPTIONS,
  checkCallOptions,
  checkTrustedKeys,
  type GuardedCall,
  type GuardrailsCallOptions,
} from "../call.js";
import { checkOptions, ON_BLOCKED, type OptionTable } from "../../diagnostics/options.js";
import { applyBlock, type OnBlocked, refusalOf } from "../blocked.js";
import { lazily } from "../../engine/async.js";
import type { HostSource } from "../host.js";
import { type ResponseReview, reviewInput, readGuardedInput } from "../review/review.js";
import { reviewOutputValue, reviewEvidence } from "../review/evidence-review.js";
import { FunctionStep, type GuardrailsStep } from "../step.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { INPUT_OPTIONS, type InputOptions } from "../values/input-object.js";
import { UNSEEN_OPTIONS, type UnseenOptions } from "../values/unseen.js";
import { RESPONSE_OPTIONS, type ResponseOptions, questionIn } from "../values/response.js";
import { releaseResponse } from "../values/read-response.js";
import { chunkText } from "../values/evidence.js";
import { isObject, isMessage } from "../values/message-kinds.js";
import { type Runnable, type RunnableLike, _coerceToRunnable } from "@langchain/core/runnables";
import { responseKeyOf, type Side, sideOf } from "../values/side.js";

const streaming = lazily(() => import("../streaming/stream-output.js"));

export interface InputStepOptions extends InputOptions {
  /** Effect of a block. Default: `throw`. */
  readonly onBlocked?: OnBlocked;
}

/** Input rails as a step: returns the value, rewritten if a rail rewrote it, or throws. */
export function inputStep<T>(source: HostSource, options: InputStepOptions = {}): GuardrailsStep<T, T> {
  checkOptions("guardrails.input", options, { ...INPUT_OPTIONS, onBlocked: ON_BLOCKED });
  checkTrustedKeys("guardrails.input", options);
  return new FunctionStep<T, T>(source, "guardrails:input", async (value, call) => {
    const input = await readGuardedInput(value, call, options);
    const { block, texts } = await reviewInput(input, call);
    if (block === undefined) return input.rewrite(texts) as T;
    const onBlocked = options.onBlocked ?? call.host.onBlocked ?? "throw";
    const others = input.pending.slice(1).map(() => "");
    return (await applyBlock(block, value, onBlocked, (refusal) => input.refuse([...others, refusal]))) as T;
  });
}

export interface OutputStepOptions extends ResponseOptions, UnseenOptions {
  /** Effect of a block. Default: `refuse`. */
  readonly onBlocked?: OnBlocked;
}

/** Output rails as a step: returns the response, or the refusal in its shape. */
export function outputStep<T>(source: HostSource, options: OutputStepOptions = {}): GuardrailsStep<T, T> {
  checkOptions("guardrails.output", options, { ...RESPONSE_OPTIONS, ...UNSEEN_OPTIONS, onBlocked: ON_BLOCKED });
  return new FunctionStep<T, T>(
    source,
    "guardrails:output",
    (value, call) => moderateResponse(value, call, options),
    async function* (chunks, call) {
      const { streamThroughRails } = await streaming();
      yield* streamThroughRails<T>(chunks, call, options);
    },
  );
}

/** Runs the output rails over one value of any readable shape. */
export async function moderateResponse<T>(value: T, call: GuardedCall, options: OutputStepOptions): Promise<T> {
  const review = await reviewOutputValue(value, call, options);
  const { block, response } = review;
  if (block === undefined) return releasedValue(review, options) as T;
  const onBlocked = options.onBlocked ?? call.host.onBlocked ?? "refuse";
  return (await applyBlock(block, value, onBlocked, (refusal) => response.refuse(refusal, block.verdict))) as T;
}

export interface RetrievalStepOptions {
  /** Key of the documents in an object. Default: `context`. */
  readonly contextKey?: string;
  /** Effect of a block. Default: `throw`. `refuse` empties the evidence. */
  readonly onBlocked?: OnBlocked;
}

/** Retrieval rails as a step: documents in, documents out, rewritten or without those that a rail removed. */
export function retrievalStep<T>(source: HostSource, options: RetrievalStepOptions = {}): GuardrailsStep<T, T> {
  checkOptions("guardrails.retrieval", options, { contextKey: "text", onBlocked: ON_BLOCKED });
  return new FunctionStep<T, T>(source, "guardrails:retrieval", async (value, call) => {
    const key = options.contextKey ?? "context";
    const holder = isObject(value) && chunkText(value) === undefined ? value : undefined;
    const given: unknown = holder === undefined ? value : holder[key];
    const question = holder === undefined ? undefined : questionIn(holder);
    const { evidence, block } = await reviewEvidence(given, call, question);
    const rebuilt = (holder === undefined ? evidence : { ...holder, [key]: evidence }) as T;
    if (block === undefined) return evidence === given ? value : rebuilt;
    return (await applyBlock(block, value, options.onBlocked ?? call.host.onBlocked ?? "throw", () => rebuilt)) as T;
  });
}

/** Options of `guardrails.check`, in addition to those of every call. */
export interface CheckOptions extends InputOptions, Pick<ResponseOptions, "outputKey" | "contextKey"> {
  /** Side whose rails decide. Default: the side of the conversation that the value is on. */
  readonly stage?: "input" | "output" | undefined;
}

const CHECK_OPTIONS: OptionTable<CheckOptions & Pick<GuardrailsCallOptions, "rails">> = {
  ...CALL_OPTIONS,
  ...INPUT_OPTIONS,
  outputKey: "text",
  contextKey: "text",
  stage: { oneOf: ["input", "output"] },
};

export interface BranchOptions<Input, Passed, Blocked = Passed> extends CheckOptions, ResponseOptions {
  /** Receives a value that passed, as the rails left it. */
  readonly pass: RunnableLike<Input, Passed>;
  /** Receives a blocked value unchanged. */
  readonly blocked: RunnableLike<Input, Blocked>;
}

const BRANCH_OPTIONS: OptionTable<BranchOptions<unknown, unknown>> = {
  ...RESPONSE_OPTIONS,
  ...INPUT_OPTIONS,
  pass: "any",
  blocked: "any",
  stage: { oneOf: ["input", "output"] },
};

/**
 * Routes by verdict. LangChain's `RunnableBranch` treats an empty or false result of a branch as "did not match" and
 * also runs its default.
 */
export function branchStep<Input, Passed, Blocked>(
  source: HostSource,
  options: BranchOptions<Input, Passed, Blocked>,
): GuardrailsStep<Input, Passed | Blocked> {
  checkOptions("guardrails.branch", options, BRANCH_OPTIONS, ["pass", "blocked"]);
  checkTrustedKeys("guardrails.branch", options);
  const pass = _coerceToRunnable(options.pass) as Runnable<Input, Passed>;
  const blocked = _coerceToRunnable(options.blocked) as Runnable<Input, Blocked>;
  return new FunctionStep<Input, Passed | Blocked>(source, "guardrails:branch", async (value, call) => {
    const { review, output } = await reviewValue(value, call, options);
    // Branches respond to the caller, so they keep the caller's handlers.
    return review.block === undefined
      ? pass.invoke(output as Input, call.announce)
      : blocked.invoke(value, call.announce);
  });
}

/** Reviews a value on its side; `output` is the reviewed value, in its own shape. */
async function reviewValue(value: unknown, call: GuardedCall, options: CheckOptions & ResponseOptions) {
  if (sideOfValue(value, options) === "user") {
    const { inputKey, trustedKeys } = options;
    // INVARIANT: no retrieval rail runs here, so evidence is read together with the user's text.
    const input = await readGuardedInput(value, call, { inputKey, trustedKeys });
    const review = await reviewInput(input, call);
    return { review, output: review.block === undefined ? input.rewrite(review.texts) : undefined };
  }
  const review = await reviewOutputValue(value, call, options);
  return { review, output: review.block === undefined ? releasedValue(review, options) : undefined };
}

/** The released value of a response that passed. */
function releasedValue({ response, texts, verdict }: ResponseReview, options: ResponseOptions): unknown {
  return releaseResponse(response, texts[0] ?? response.text, verdict, options);
}

/** Verdict over one value. */
export interface CheckResult {
  readonly blocked: boolean;
  readonly status: "passed" | "modified" | "blocked";
  /** The text after review: unchanged, rewritten, or the refusal. */
  readonly output: string;
  readonly guardrails: GuardrailsMetadata;
}

/** Validates the options of `guardrails.check`, and splits off the config of its run. */
export function readCheckOptions(options: CheckOptions & Partial<GuardrailsCallOptions>) {
  checkCallOptions("guardrails.check", options, CHECK_OPTIONS);
  checkTrustedKeys("guardrails.check", options);
  const { stage, inputKey, outputKey, contextKey, trustedKeys, unseen, ...others } = options;
  const config = { runName: "guardrails:check", ...others };
  return { stage, inputKey, outputKey, contextKey, trustedKeys, unseen, config };
}

/** Checks a value without answering it. */
export async function checkValue(value: unknown, call: GuardedCall, options: CheckOptions): Promise<CheckResult> {
  const { status, texts, block, verdict } = (await reviewValue(value, call, options)).review;
  if (block !== undefined) return { status: "blocked", blocked: true, output: refusalOf(block), guardrails: verdict };
  const isModified = status === "modified";
  return { status: isModified ? status : "passed", blocked: false, output: texts.join("\n"), guardrails: verdict };
}

function sideOfValue(value: unknown, options: CheckOptions): Side {
  const { stage, inputKey } = options;
  if (stage !== undefined) return stage === "input" ? "user" : "bot";
  const isInput = inputKey !== undefined && isObject(value) && !isMessage(value) && Object.hasOwn(value, inputKey);
  return isInput && responseKeyOf(value, options) === undefined ? "user" : sideOf(value, options);
}

import type { BaseLanguageModelInput, StructuredOutputMethodOptions } from "@langchain/core/language_models/base";
import type { BaseMessage } from "@langchain/core/messages";
import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import { matchesJsonSchema } from "../../actions/json-schema.js";
import { OutputParseError } from "../../diagnostics/errors.js";
import type { LanguageModel } from "../../llm/model.js";
import { askInner } from "../callbacks.js";
import { applyBlock, violation, type OnBlocked } from "../blocked.js";
import { type Block } from "../../turn/decision.js";
import type { GuardedCall } from "../call.js";
import { utteranceMessage } from "../verdict.js";
import type { Responder } from "../../runtime/responder.js";
import type { BotResponse } from "../values/response.js";
import { readGuardedInput, sentMessages, takeGuardedTurn } from "../review/review.js";
import type { Host } from "../host.js";
import { isObject, toMessage, type PlainObject } from "../values/message-kinds.js";
import {
  blockMismatch,
  SchemaMismatchError,
  readStructuredResponse,
  type StructuredValue,
} from "./structured-response.js";
import { shapeError } from "../shape-error.js";
import { GuardrailsStep } from "../step.js";

interface StructuredOutputFields {
  readonly host: Host;
  /** The model with structured output, returning `{ raw, parsed }`. */
  readonly inner: Runnable<BaseLanguageModelInput>;
  readonly schema: unknown;
  readonly includeRaw: boolean;
  readonly main: LanguageModel;
  readonly onBlocked: OnBlocked;
}

/**
 * A guarded model with structured output. Output rails read the message, the arguments of its calls and the parsed
 * value as lines of text. Rewritten lines are put back into their fields; if that fails, or the schema rejects the
 * result, the response is blocked.
 */
export class GuardedStructuredOutput extends GuardrailsStep<BaseLanguageModelInput, unknown> {
  static override lc_name(): string {
    return "GuardedStructuredOutput";
  }

  readonly #fields: StructuredOutputFields;

  constructor(fields: StructuredOutputFields) {
    super(fields.host, "GuardedStructuredOutput");
    this.#fields = fields;
  }

  protected override get pseudonymUse(): "turn" {
    return "turn";
  }

  protected override async process(value: BaseLanguageModelInput, call: GuardedCall): Promise<unknown> {
    const { inner, main, includeRaw } = this.#fields;
    const input = await readGuardedInput(Array.isArray(value) ? value.map(toMessage) : value, call);
    const responder: Responder<BotResponse> = {
      ask: async (texts, config) =>
        readStructuredResponse(
          await askInner(inner, [...sentMessages(input, texts, call)], { ...call.config, ...config }),
        ),
    };
    const turn = await takeGuardedTurn({
      call,
      input,
      main,
      responder,
      isSideEffectFree: true,
      callsAreResponses: true,
    });
    if (turn.kind === "utterance") {
      if (includeRaw) return { raw: utteranceMessage(turn.text, turn.verdict), parsed: null } satisfies StructuredValue;
      throw new OutputParseError("expected a structured answer, got the text of a flow; use `includeRaw` to get it");
    }
    const rewritten = turn.kind === "response" ? await this.#rewrite(turn.response, turn.text) : undefined;
    if (turn.kind === "blocked" || rewritten === undefined) {
      const { block, response } = turn.kind === "blocked" ? turn : await blockMismatch(turn, call);
      return this.#block(block, response?.value ?? value);
    }
    if (includeRaw) return readStructuredResponse(rewritten).mark(turn.verdict);
    if (rewritten.parsed !== null) return rewritten.parsed;
    throw new OutputParseError("the model's answer does not match the schema; use `includeRaw` to get its message");
  }

  /** Undefined if the rails' text does not match the schema. */
  async #rewrite({ value, rewrite }: BotResponse, text: string): Promise<StructuredValue | undefined> {
    try {
      const after = rewrite(text) as StructuredValue;
      if (after.parsed === (value as StructuredValue).parsed) return after;
      const parsed = await parseWith(this.#fields.schema, after.parsed);
      // A transforming schema rejects its own result, so that fails too.
      return parsed !== undefined && sameData(parsed.value, after.parsed) ? after : undefined;
    } catch (error) {
      if (error instanceof SchemaMismatchError) return undefined;
      throw error;
    }
  }

  #block(block: Block, value: unknown): Promise<unknown> {
    const { includeRaw, onBlocked } = this.#fields;
    return applyBlock(block, value, onBlocked, (refusal) => {
      // INVARIANT: no refusal satisfies a schema, and the caller would take one for data.
      if (!includeRaw) throw violation(block);
      return isObject(value) && "raw" in value && "parsed" in value
        ? readStructuredResponse(value).refuse(refusal, block.verdict)
        : ({ raw: utteranceMessage(refusal, block.verdict), parsed: null } satisfies StructuredValue);
    });
  }
}

/**
 * Returns the model's own structured output, including its raw message. A binding with tools has none; then the inner
 * model is used with the binding's options, except for the tools, which the schema replaces.
 *
 * @throws InputShapeError if the model has no structured output
 */
export function structuredInner(
  inner: Runnable,
  schema: unknown,
  config: StructuredOutputMethodOptions<boolean> | undefined,
): Runnable<BaseLanguageModelInput> {
  const { withStructuredOutput, bound } = inner as { withStructuredOutput?: unknown; bound?: unknown };
  if (typeof withStructuredOutput === "function") {
    const made: unknown = withStructuredOutput.call(inner, schema, { ...config, includeRaw: true });
    return made as Runnable<BaseLanguageModelInput>;
  }
  if (!isObject(bound)) {
    throw shapeError(
      "expected a wrapped model with structured output",
      inner,
      "wrap a model with `withStructuredOutput`",
    );
  }
  const { kwargs, config: boundConfig } = inner as { kwargs?: Record<string, unknown>; config?: RunnableConfig };
  const { tools: _tools, tool_choice: _choice, ...options } = kwargs ?? {};
  const made = structuredInner(bound as unknown as Runnable, schema, config);
  return made.withConfig({ ...boundConfig, ...options } as RunnableConfig);
}

/** Result of `withStructuredOutput` with `includeRaw`. */
export interface StructuredResult<Output> {
  raw: BaseMessage;
  parsed: Output;
}

/**
 * Parses a value with its schema: zod 3, zod 4, any other Standard Schema, or JSON Schema; undefined if it does not
 * match.
 */
async function parseWith(schema: unknown, value: unknown): Promise<{ readonly value: unknown } | undefined> {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return undefined;
  const { "~standard": standard, safeParseAsync } = schema as { "~standard"?: unknown; safeParseAsync?: unknown };
  const validate = isObject(standard) ? standard["validate"] : undefined;
  if (typeof validate === "function") {
    const result = (await validate.call(standard, value)) as { issues?: unknown; value?: unknown };
    return result.issues === undefined ? { value: result.value } : undefined;
  }
  if (typeof safeParseAsync === "function") {
    const result = (await safeParseAsync.call(schema, value)) as { success: boolean; data?: unknown };
    return result.success ? { value: result.data } : undefined;
  }
  const described = schema as PlainObject;
  const json = isObject(described["parameters"]) ? described["parameters"] : described;
  return (await matchesJsonSchema(json, value)) ? { value } : undefined;
}

function sameData(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  if (isCollection(left) && isCollection(right)) return sameData([...left], [...right]);
  const isData = Array.isArray(left) || (left as object).toString === Object.prototype.toString;
  if (!isData) return String(left) === String(right);
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && sameData(Reflect.get(left, key), Reflect.get(right, key)));
}

function isCollection(value: object): value is ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> {
  return value instanceof Map || value instanceof Set;
}

import { omitUndefined } from "../engine/plain-data.js";
import { CallbackManager, parseCallbackConfigArg } from "@langchain/core/callbacks/manager";
import { BaseLangChain } from "@langchain/core/language_models/base";
import { ensureConfig, patchConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { StructuredTool, StructuredToolInterface } from "@langchain/core/tools";
import { runWithConfig } from "./run-with-config.js";
import { runAndClose, type GuardedCall, type GuardrailsCallOptions, openCall, traced } from "./call.js";
import type { Block } from "../turn/decision.js";
import { applyBlock } from "./blocked.js";
import type { Host } from "./host.js";
import { isObject } from "./values/message-kinds.js";
import { jsonText, shapeError } from "./shape-error.js";
import type { ProposedCall } from "./tools/call-copies.js";
import { refusedResult } from "./tools/tool-calls.js";
import { restore } from "./tools/restored-output.js";
import { reviewToolOutput } from "./tools/tool-output.js";
import { reviewCall } from "./tools/tool-review.js";

/** Anything that agents accept as a tool: it has a name, a schema and `invoke`. */
export type ToolLike = Pick<StructuredToolInterface, "name" | "description" | "schema" | "invoke">;

type Invoke = StructuredToolInterface["invoke"];

/**
 * A tool with rails on its arguments and its result. The inner tool never runs with blocked arguments, and only tracers
 * see a result before review.
 */
// LangChain's own tool class would import all of zod with this package; agents and models need only the interface.
export class GuardedTool extends BaseLangChain<unknown, unknown> implements StructuredToolInterface {
  static override lc_name(): string {
    return "GuardedTool";
  }

  override lc_serializable = false;
  override lc_namespace = ["langchain", "tools"];
  override name: string;
  readonly description: string;
  readonly schema: StructuredToolInterface["schema"];
  readonly returnDirect: boolean;
  readonly responseFormat: string;
  declare readonly extras?: Record<string, unknown>;
  readonly #inner: ToolLike;
  readonly #host: Host;

  constructor(host: Host, inner: ToolLike) {
    const { tags, metadata, verbose, returnDirect, responseFormat, extras } = inner as Partial<StructuredTool>;
    super(omitUndefined({ tags, metadata, verbose }));
    this.#host = host;
    this.#inner = inner;
    this.name = inner.name;
    this.description = inner.description;
    this.schema = inner.schema;
    this.returnDirect = returnDirect ?? false;
    this.responseFormat = responseFormat ?? "content";
    if (extras !== undefined) this.extras = extras;
  }

  /** Invoked with arguments, returns the result; invoked with a tool call, returns a message. */
  override async invoke(...[input, options]: Parameters<Invoke>): ReturnType<Invoke> {
    const config = ensureConfig(options as RunnableConfig | undefined);
    if (!isObject(input) || input["type"] !== "tool_call") return this.call(input, config);
    return this.call(input["args"], { ...config, toolCall: input } as RunnableConfig);
  }

  /** INVARIANT: only the inner tool parses its arguments; parsing twice would transform them twice. */
  async call(arg: unknown, given?: RunnableConfig | unknown, tags?: string[]): Promise<never> {
    const options = parseCallbackConfigArg(given as RunnableConfig);
    const config = traced(options, this.#host) as GuardrailsCallOptions & { toolCall?: ProposedCall };
    const { toolCall, runId, runName, rails, ...rest } = config;
    const manager = CallbackManager._configureSync(
      config.callbacks,
      this.callbacks,
      config.tags ?? tags,
      this.tags,
      config.metadata,
      this.metadata,
    );
    const shown = typeof arg === "string" ? arg : jsonText(arg ?? null, "the arguments of this tool call");
    const name = runName ?? this.name;
    const unset = [undefined, undefined, undefined] as const;
    const run = await manager?.handleToolStart(this.toJSON(), shown, runId, ...unset, name, toolCall?.id);
    const child = patchConfig(rest, run === undefined ? {} : { callbacks: run.getChild() });
    try {
      const guarded = openCall(rails === undefined ? child : { ...child, rails }, undefined, this.#host);
      const output = await runAndClose(guarded, () => this.#run(arg, toolCall, guarded));
      await run?.handleToolEnd(output);
      return output as never;
    } catch (error) {
      await run?.handleToolError(error);
      throw error;
    }
  }

  async #run(arg: unknown, toolCall: ProposedCall | undefined, guarded: GuardedCall): Promise<unknown> {
    // A tool with one text argument accepts a string or `{ input }`.
    const isText = typeof arg === "string" || arg === undefined || arg === null;
    const proposed: ProposedCall = { name: this.name, args: isText ? { input: arg ?? "" } : arg, id: toolCall?.id };
    const refuse = (block: Block, value: unknown): Promise<unknown> =>
      applyBlock(block, value, this.#host.onBlocked ?? "refuse", (refusal) =>
        toolCall === undefined ? refusal : refusedResult(proposed, refusal, block.verdict),
      );
    const { pseudonyms } = guarded.conversation;
    if (pseudonyms.isUsed) await pseudonyms.read();
    const review = await reviewCall(proposed, guarded, { tools: [this.#inner] });
    if (review.block !== undefined) return refuse(review.block, arg);
    const args = restore(review.call.args === proposed.args ? arg : review.call.args, pseudonyms.table);
    const inner = { ...guarded.config, ...(toolCall === undefined ? {} : { toolCall }) } as RunnableConfig;
    const input = toolCall === undefined ? args : { ...toolCall, args, type: "tool_call" };
    const reviewed = await reviewToolOutput(review.call, guarded, () =>
      runWithConfig(inner, () => this.#inner.invoke(input as never, inner)),
    );
    if (pseudonyms.isUsed) await pseudonyms.keep();
    return reviewed.block === undefined ? reviewed.output : refuse(reviewed.block, reviewed.output);
  }
}

/** Returns a tool with rails; the given tool is not changed. */
export function guardTool(host: Host, tool: unknown): GuardedTool {
  if (!isObject(tool) || typeof tool["name"] !== "string" || typeof tool["invoke"] !== "function") {
    throw shapeError("expected a tool with `invoke`", tool, "make one with `tool(fn, { name, schema })`");
  }
  return new GuardedTool(host, tool as unknown as ToolLike);
}

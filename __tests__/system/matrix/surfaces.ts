import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { InMemoryChatMessageHistory } from "@langchain/core/chat_history";
import { ChatPromptTemplate, MessagesPlaceholder } from "@langchain/core/prompts";
import { type Runnable, RunnableLambda, RunnableWithMessageHistory } from "@langchain/core/runnables";
import { MessagesAnnotation, START, END, StateGraph } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { tool } from "@langchain/core/tools";
import { z } from "zod/v4";
import type { Guardrails } from "../../../src/index.js";
import { guardrailsNode, routeOnVerdict } from "../../../src/langchain/langgraph.js";
import { guardrailsMiddleware } from "../../../src/langchain/middleware.js";
import type { Cell, Way } from "./cell.js";
import { ChainStub } from "./chain-stub.js";
import type { InputKind } from "./input-shapes.js";
import { MatrixModel } from "./matrix-model.js";
import { textOf } from "./observe.js";
import type { OutputKind } from "./output-shapes.js";
import { type Dialect, moderationOf } from "./outcomes.js";

/** A runnable, or an object with only an `invoke`. */
export type Target = Pick<Runnable, "invoke"> & Partial<Pick<Runnable, "stream" | "batch" | "streamEvents">>;

export interface Surface {
  readonly name: string;
  /** The file that tests it. */
  readonly group: "models" | "chains" | "calls" | "graphs";
  /** Kinds of values that it accepts on the user's side; none if no input rails run there. */
  readonly takes?: readonly InputKind[];
  /** Kinds of values that the guarded part may return; none if no output rails run there. */
  readonly gives?: readonly OutputKind[];
  /** The values of the guarded part are its input, as for a step after it. */
  readonly isStep?: true;
  /** It runs in LangGraph. */
  readonly isGraph?: true;
  /** Outer runs of LangChain contain its input before any rail runs, so events contain the caller's own text. */
  readonly showsInput?: true;
  readonly ways?: readonly Way[];
  readonly dialects?: readonly Dialect[];
  /** Messages in the form that it accepts; a list by default. */
  readonly put?: (messages: readonly BaseMessage[]) => unknown;
  /** A greeting without a marker; a list of one message by default. */
  readonly ask?: unknown;
  /** Options of each call. */
  readonly config?: object;
  /** The text that an application keeps of a first result; found in the result by default. */
  readonly replyOf?: (result: never) => string;
  /** The application itself responds to a blocked message, so nothing shows that it was blocked. */
  readonly repliesItself?: true;
  readonly open: (guardrails: Guardrails, cell: Cell) => Target | Promise<Target>;
}

const MODEL_INPUTS = ["messages", "text", "prompt"] as const;
const MESSAGES = [...MODEL_INPUTS, "message"] as const;
const greeting = (): HumanMessage[] => [new HumanMessage({ content: "hello", id: "h0" })];
const toState = (messages: readonly BaseMessage[]): object => ({ messages: [...messages] });
const modelOf = (cell: Cell): MatrixModel => new MatrixModel(() => cell);
const responseIn = (response: unknown): string =>
  typeof response === "string" ? response : String((response as { content: unknown }[]).at(-1)?.content);
const SCHEMA = z.object({
  title: z.string(),
  notes: z.array(z.string()).optional(),
  more: z.record(z.string(), z.string()).optional(),
});
const lookUp = {
  type: "function",
  function: {
    name: "look_up",
    description: "d",
    parameters: { type: "object", properties: { q: { type: "string" } } },
  },
} as const;

/** A tool that returns the value of its cell and records its arguments. */
const toolOf = (cell: Cell): ReturnType<typeof tool> =>
  tool(
    async (args: unknown) => {
      cell.shown.push(textOf(args));
      const { whole } = cell.reply() as { readonly whole: unknown };
      if (whole instanceof Error) throw whole;
      return whole;
    },
    {
      name: "look_up",
      description: "d",
      schema: z.object({ q: z.string().optional(), more: z.unknown().optional() }) as never,
    },
  ) as never;

/** A model that calls the tool once, and then responds. */
const askingModel = (cell: Cell): MatrixModel => {
  const replies = [asking(), new AIMessage("done")];
  return new MatrixModel(
    () => cell,
    () => ({ whole: replies.shift() ?? new AIMessage("done") }),
  );
};
const CALL = { name: "look_up", args: { q: "x" }, id: "c1", type: "tool_call" } as const;
const asking = (): AIMessage => new AIMessage({ content: "", tool_calls: [{ ...CALL }] });

/** An object with only an `invoke`, over a function. */
const calling = (invoke: (value: unknown, config?: object) => Promise<unknown>): Target => ({ invoke }) as Target;

/** All ways to add rails to a value. A new surface is one row. */
/** Surfaces whose input and output are the state of a graph. */
const GRAPH = {
  group: "graphs",
  put: toState,
  isGraph: true,
  showsInput: true,
  config: { streamMode: ["updates", "messages", "custom"] },
} as const;

const openAgent = (model: MatrixModel, guardrails: Guardrails, cell: Cell, options: object = {}): Target =>
  createAgent({
    model,
    tools: [toolOf(cell) as never],
    middleware: [guardrailsMiddleware(guardrails, options)] as never,
  }) as unknown as Target;

export const SURFACES: readonly Surface[] = [
  {
    name: "guardrails.invoke",
    group: "models",
    takes: MESSAGES.filter((kind) => kind !== "text"),
    gives: ["reply", "server"],
    open: (guardrails) => guardrails,
  },
  {
    name: "guardrails at the end of a pipe",
    group: "chains",
    gives: ["reply", "server", "value"],
    isStep: true,
    ways: ["invoke", "stream", "batch"],
    open: (guardrails) => guardrails,
  },
  {
    name: "guardrails behind a prompt",
    group: "models",
    takes: ["messages"],
    ways: ["invoke", "stream", "batch"],
    open: (guardrails) =>
      ChatPromptTemplate.fromMessages([new MessagesPlaceholder("messages")])
        .pipe(guardrails as Runnable)
        .withConfig({}) as unknown as Runnable,
    put: toState,
  },
  {
    name: "wrap(model)",
    group: "models",
    takes: MODEL_INPUTS,
    gives: ["reply", "server"],
    open: (guardrails, cell) => guardrails.wrap(modelOf(cell)),
  },
  {
    name: "wrap(model).bindTools",
    group: "models",
    takes: MODEL_INPUTS,
    gives: ["reply", "server", "calls"],
    open: (guardrails, cell) => guardrails.wrap(modelOf(cell)).bindTools([lookUp]),
  },
  {
    name: "wrap(model).withStructuredOutput",
    group: "models",
    takes: MODEL_INPUTS,
    gives: ["structured"],
    open: (guardrails, cell) =>
      guardrails.wrap(modelOf(cell)).withStructuredOutput(SCHEMA, { name: "extract" }) as Runnable,
  },
  {
    name: "withStructuredOutput with includeRaw",
    replyOf: ({ raw }: { raw: BaseMessage }) => raw.text,
    group: "models",
    takes: MODEL_INPUTS,
    gives: ["structured"],
    open: (guardrails, cell) =>
      guardrails
        .wrap(modelOf(cell))
        .withStructuredOutput(SCHEMA, { name: "extract", includeRaw: true }) as unknown as Runnable,
  },
  {
    name: "wrap(chain)",
    group: "chains",
    takes: [...MESSAGES, "object"],
    gives: ["reply", "server", "value"],
    open: (guardrails, cell) => guardrails.wrap(new ChainStub(cell)),
  },
  {
    name: "wrap(chain) with keys",
    group: "chains",
    takes: ["object"],
    gives: ["value"],
    ask: { question: "hello" },
    open: (guardrails, cell) =>
      guardrails.wrap(new ChainStub(cell), { inputKey: "question", outputKey: "answer", contextKey: "context" }),
  },
  {
    name: "input()",
    group: "chains",
    takes: [...MESSAGES, "object"],
    open: (guardrails, cell) => guardrails.input().pipe(new ChainStub(cell)),
  },
  {
    name: "output()",
    group: "chains",
    gives: ["reply", "server", "value"],
    isStep: true,
    ways: ["invoke", "stream", "batch"],
    open: (guardrails) => guardrails.output(),
  },
  {
    name: "inputModeration",
    group: "chains",
    takes: [...MESSAGES, "object"],
    open: (_, cell) => moderationOf(cell, "input").pipe(new ChainStub(cell)),
  },
  {
    name: "outputModeration",
    group: "chains",
    gives: ["reply", "value"],
    isStep: true,
    ways: ["invoke", "stream", "batch"],
    open: (_, cell) => moderationOf(cell, "output"),
  },
  {
    name: "retrieval()",
    group: "calls",
    gives: ["evidence"],
    isStep: true,
    ways: ["invoke", "stream", "batch"],
    open: (guardrails) => guardrails.retrieval(),
  },
  {
    name: "tool()",
    group: "calls",
    takes: ["call"],
    gives: ["result"],
    ask: CALL,
    ways: ["invoke", "stream", "batch"],
    open: (guardrails, cell) => guardrails.tool(toolOf(cell) as never) as never,
  },
  {
    name: "check",
    group: "calls",
    takes: [...MESSAGES, "object"],
    gives: ["reply", "server", "value"],
    isStep: true,
    ways: ["invoke"],
    open: (guardrails, cell) =>
      calling((value) => guardrails.check(value, typeof value === "string" ? { stage: cell.stage } : {})),
  },
  {
    name: "rail() of the user",
    group: "calls",
    takes: [...MESSAGES, "object"],
    open: (guardrails, cell) => guardrails.rail(cell.railOf("input")),
  },
  {
    name: "rail() of the bot",
    group: "calls",
    gives: ["reply", "server", "value"],
    isStep: true,
    open: (guardrails, cell) => guardrails.rail(cell.railOf("output")),
  },
  {
    name: "branch()",
    repliesItself: true,
    group: "chains",
    takes: [...MESSAGES, "object"],
    open: (guardrails, cell) =>
      guardrails.branch({
        pass: new ChainStub(cell),
        blocked: RunnableLambda.from(() => "another way"),
        stage: "input",
      }),
  },
  {
    name: "generate",
    replyOf: ([, json]: [unknown, string]) => responseIn(JSON.parse(json).response),
    group: "calls",
    takes: ["messages", "text"],
    gives: ["reply", "server"],
    ways: ["invoke"],
    open: (guardrails) =>
      calling(async (value) => {
        const result = await guardrails.generate(value as string);
        return [textOf({ ...result, explain: undefined }), JSON.stringify(result)];
      }),
  },
  {
    name: "generate with a state",
    replyOf: ([response]: [unknown]) => responseIn(response),
    group: "calls",
    takes: ["messages", "text"],
    gives: ["reply", "server"],
    ways: ["invoke"],
    open: (guardrails) =>
      calling(async (value) => {
        const { state, response } = await guardrails.generate(value as string, { state: {} });
        const next = await guardrails.generate("and now?", { state, outputVars: true });
        return [response, state, next.response, next.state, JSON.stringify(next)];
      }),
  },
  {
    name: "generate in a thread",
    group: "calls",
    takes: ["messages", "text"],
    gives: ["reply", "server"],
    ways: ["invoke"],
    open: (guardrails, cell) =>
      calling(async (value) => {
        const config = { configurable: { thread_id: cell.marker.replace("zq", "thread") } };
        const result = await guardrails.generate(value as string, {}, config);
        const next = await guardrails.generate("and now?", {}, config);
        return [JSON.stringify(result), JSON.stringify(next)];
      }),
  },
  {
    name: "guardrailsMiddleware",
    ...GRAPH,
    takes: ["messages"],
    gives: ["reply", "server", "calls"],
    ways: ["invoke", "stream", "events"],
    open: (guardrails, cell) => openAgent(modelOf(cell), guardrails, cell),
  },
  {
    name: "guardrailsMiddleware with its input rails in wrapModelCall",
    ...GRAPH,
    takes: ["messages"],
    gives: ["reply", "server", "calls"],
    ways: ["invoke", "stream", "events"],
    open: (guardrails, cell) => openAgent(modelOf(cell), guardrails, cell, { inputHook: "wrapModelCall" }),
  },
  {
    name: "guardrailsMiddleware with a tool",
    ...GRAPH,
    gives: ["result"],
    ways: ["invoke", "stream", "events"],
    open: (guardrails, cell) => openAgent(askingModel(cell), guardrails, cell),
  },
  {
    name: "guardrailsNode around a node",
    ...GRAPH,
    takes: ["messages"],
    gives: ["reply", "server"],
    open: (guardrails, cell) =>
      new StateGraph(MessagesAnnotation)
        .addNode("guard", guardrailsNode(guardrails, "input"))
        .addNode(
          "agent",
          guardrailsNode(guardrails, "output", {
            around: (async ({ messages }: { messages: BaseMessage[] }, config: object) => ({
              messages: [await modelOf(cell).invoke(messages, config)],
            })) as never,
          }) as never,
        )
        .addEdge(START, "guard")
        .addConditionalEdges("guard", routeOnVerdict, { passed: "agent", blocked: END })
        .addEdge("agent", END)
        .compile() as unknown as Target,
  },
  {
    name: "guardrailsNode for a turn",
    ...GRAPH,
    takes: ["messages"],
    gives: ["reply", "server"],
    open: (guardrails, cell) =>
      new StateGraph(MessagesAnnotation)
        .addNode("turn", guardrailsNode(guardrails, "turn", { around: modelOf(cell) as never }) as never)
        .addEdge(START, "turn" as never)
        .compile() as unknown as Target,
  },
  {
    name: "RunnableWithMessageHistory",
    group: "models",
    takes: ["messages", "text"],
    gives: ["reply", "server"],
    open: (guardrails, cell) => {
      const history = new InMemoryChatMessageHistory();
      return new RunnableWithMessageHistory({
        runnable: guardrails.wrap(modelOf(cell)) as never,
        getMessageHistory: () => history,
      }) as unknown as Target;
    },
    showsInput: true,
    config: { configurable: { sessionId: "s" } },
  },
  {
    name: "events()",
    group: "calls",
    dialects: ["2.x"],
    takes: ["text"],
    ways: ["invoke"],
    open: (guardrails) =>
      calling(async (value) => {
        const session = guardrails.events();
        const seen: unknown[] = [];
        const read = (async () => {
          for await (const event of session) seen.push(event);
        })();
        session.send({ type: "UtteranceUserActionFinished", final_transcript: value });
        await session.settled();
        session.close();
        await read;
        return seen;
      }),
  },
];

export function greetingOf(surface: Surface): unknown {
  return surface.ask ?? (surface.put ?? ((messages) => messages))(greeting());
}

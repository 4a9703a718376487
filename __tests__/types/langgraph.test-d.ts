// Checked only by the compiler: rails in graphs.
import type { BaseMessage } from "@langchain/core/messages";
import { InMemoryStore as KeyValueMemory } from "@langchain/core/stores";
import type { LocalFileStore } from "@langchain/classic/storage/file_system";
import {
  Annotation,
  type BaseStore,
  type Command,
  END,
  MessagesAnnotation,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import type { Guardrails } from "langchain-guardrails";
import { fromKeyValueStore, fromLangGraphStore, type StoredThread } from "langchain-guardrails/threads";
import { guardrailsNode, routeOnVerdict, type routeOnVerdictIn } from "langchain-guardrails/langgraph";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const assertType = <T extends true>(_holds?: T): void => undefined;

declare const guardrails: Guardrails;
const agent = async (_state: { messages: BaseMessage[] }) => ({ messages: [] });

// A node fits graphs over annotations and over schemas, and routes name their nodes.
new StateGraph(MessagesAnnotation)
  .addNode("guard", guardrailsNode(guardrails, "input"))
  .addNode("agent", guardrailsNode(guardrails, "output", { around: agent }))
  .addEdge(START, "guard")
  .addConditionalEdges("guard", routeOnVerdict, { passed: "agent", blocked: END });
new StateGraph(new StateSchema({ messages: MessagesValue })).addNode("guard", guardrailsNode(guardrails, "input"));
new StateGraph(Annotation.Root({ question: Annotation<string>(), answer: Annotation<string>() })).addNode(
  "guard",
  guardrailsNode(guardrails, "input", { inputKey: "question", outputKey: "answer" }),
);
assertType<Equal<ReturnType<typeof routeOnVerdict>, "passed" | "blocked">>();
assertType<Equal<ReturnType<ReturnType<typeof routeOnVerdictIn>>, "passed" | "blocked">>();

// A node writes a part of the state, and with directions a command.
const node = guardrailsNode<{ messages: BaseMessage[] }>(guardrails, "input");
assertType<Equal<Awaited<ReturnType<typeof node.invoke>>, Partial<{ messages: BaseMessage[] }>>>();
const goto = { passed: "agent", blocked: END };
const leading = guardrailsNode<{ messages: BaseMessage[] }, { goto: typeof goto }>(guardrails, "input", { goto });
const led: Promise<Command> = leading.invoke({ messages: [] });
void led;

// @ts-expect-error there is no such stage
guardrailsNode(guardrails, "dialog");
// @ts-expect-error a verdict leads to one of two places
guardrailsNode(guardrails, "input", { goto: { refused: END } });
// @ts-expect-error guardrails come first
guardrailsNode("input", guardrails);

// Stores of LangChain and LangGraph fit without a cast, in the form their values have.
declare const files: LocalFileStore;
declare const graph: BaseStore;
fromKeyValueStore(files, { singleProcess: true });
fromKeyValueStore(new KeyValueMemory<string>(), { values: "text" });
fromKeyValueStore(new KeyValueMemory<StoredThread>(), { values: "objects" });
fromLangGraphStore(graph, ["bakery", "threads"]);
// @ts-expect-error a store of bytes takes no text
fromKeyValueStore(files, { values: "text" });
// @ts-expect-error a store of text takes no bytes
fromKeyValueStore(new KeyValueMemory<string>());
// @ts-expect-error a store of the graph is no key-value store
fromKeyValueStore(graph);

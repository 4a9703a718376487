import type { RunnableConfig } from "@langchain/core/runnables";
import type { Logger } from "../../diagnostics/logger.js";
import type { ThreadStoreOf } from "../../threads/thread-keeper.js";
import type { ThreadStore } from "../../threads/thread-store.js";
import { isObject } from "../values/message-kinds.js";
import { warnOnce } from "../one-time-warning.js";
import { fromLangGraphStore, type GraphStore, THREAD_NAMESPACE, unbatched } from "./thread-stores.js";

interface Known {
  readonly threads: ThreadStore;
  readonly program: string;
}

const known = new WeakMap<object, Known>();

/** Finds the store that LangGraph puts on the config of nodes, as a thread store; the same one for the same store. */
export function graphThreads(logger: Logger | undefined): ThreadStoreOf {
  return (config, program) => {
    const given: unknown = (config as RunnableConfig & { store?: unknown }).store;
    if (!isGraphStore(given)) return undefined;
    const store = unbatched(given);
    const found = known.get(store) ?? { threads: fromLangGraphStore(store), program };
    known.set(store, found);
    if (found.program !== program && logger !== undefined) warnOfMixing(logger);
    return found.threads;
  };
}

function isGraphStore(value: unknown): value is GraphStore {
  return (
    isObject(value) && [value["get"], value["put"], value["delete"]].every((method) => typeof method === "function")
  );
}

/** The conversation of one configuration makes no sense to another, which would drop most of it. */
function warnOfMixing(logger: Logger): void {
  warnOnce(
    "graph-store-mixed",
    `several configurations keep conversations in the store of the graph under \`${THREAD_NAMESPACE.join(".")}\`; give ` +
      'each a place of its own: `threads: fromLangGraphStore(store, ["guardrails", "sales"])`',
    logger,
  );
}

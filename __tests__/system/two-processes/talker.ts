// A process that talks on one conversation of a store behind HTTP: `talker.ts URL TURNS`. Prints what the bot said.
import { Guardrails } from "../../../src/index.js";
import { type StoredThread, type ThreadStore, ThreadStoreError } from "../../../src/langchain/threads.js";

const [url = "", turns = "0"] = process.argv.slice(2);

const threads: ThreadStore = {
  async get(id) {
    const response = await fetch(`${url}/${id}`);
    return response.status === 404 ? undefined : ((await response.json()) as StoredThread);
  },
  async set(id, thread, { expectedVersion } = {}) {
    const headers = { "if-match": String(expectedVersion) };
    const response = await fetch(`${url}/${id}`, { method: "PUT", headers, body: JSON.stringify(thread) });
    return response.ok;
  },
  async delete(id) {
    await fetch(`${url}/${id}`, { method: "DELETE" });
  },
};

const guardrails = await Guardrails.fromConfig(
  { colang: "define flow count\n  event UserMessage\n  $count = execute next\n  bot $count\n", yaml: "models: []" },
  {
    threads,
    actions: {
      next: (_params: unknown, { context }: { context: Readonly<Record<string, unknown>> }) =>
        Number(context["count"] ?? 0) + 1,
    },
  },
);

const said: unknown[] = [];
let refused = 0;
while (said.length < Number(turns)) {
  try {
    said.push((await guardrails.generate("hi", {}, { configurable: { thread_id: "a" } })).response);
  } catch (error) {
    if (!ThreadStoreError.isInstance(error) || error.code !== "RL-403") throw error;
    refused += 1;
  }
}
console.log(JSON.stringify({ said, refused }));

import { RESPONSE_DEMANDS } from "./chat-model-responses.js";
import type { ChatModelContractOptions } from "./chat-model-case.js";
import { RUN_DEMANDS } from "./chat-model-runs.js";
import { TOOL_DEMANDS } from "./chat-model-tools.js";
import type { ContractCase } from "./contract.js";

/**
 * The contract of every LangChain chat model, guarded or not: the relevant checks of LangChain's standard tests, which
 * are not published. The rails of a guarded model under test must pass these texts.
 *
 * @example
 * ```ts
 * const create = async (replies: readonly ServerReply[]) => {
 *   const server = await scriptedServer(replies);
 *   const model = new ChatOpenAI({ apiKey: "none", configuration: { baseURL: server.url } });
 *   return { model: guardrails.wrap(model), requests: () => server.requests.map(readRequest), close: () => server.close() };
 * };
 * it.each(chatModelContract({ create }))("$name", ({ run }) => run());
 * ```
 */
export function chatModelContract(options: ChatModelContractOptions): readonly ContractCase[] {
  const demands = [...RESPONSE_DEMANDS, ...TOOL_DEMANDS, ...RUN_DEMANDS];
  const asked = demands.filter(({ needs }) => needs === undefined || (options[needs] ?? true));
  return asked.map(({ name, replies, run }) => ({
    name,
    run: async () => {
      const subject = await options.create(replies);
      try {
        await run(subject);
      } finally {
        await subject.close?.();
      }
    },
  }));
}

import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { collect, joinMessages, type ModelDemand, requireResponse, requireError } from "./chat-model-case.js";
import { requireSame } from "./contract.js";

const TEXT = "A long answer, with several words in it.";
const REFUSED = { status: 400, error: { message: "the provider refuses" } };

/** Counts the events of the outermost run received by one handler. */
function watch(): { readonly config: RunnableConfig; readonly seen: string[]; readonly tokens: string[] } {
  const seen: string[] = [];
  const tokens: string[] = [];
  let root: string | undefined;
  const note = (event: string, id: unknown): void => {
    if (id === root) seen.push(event);
  };
  const handler = {
    handleChatModelStart: (_model: unknown, _messages: unknown, id: string) => {
      root ??= id;
      note("start", id);
    },
    handleLLMNewToken: (token: string, _index: unknown, id: string) => void (id === root && tokens.push(token)),
    handleLLMEnd: (_output: unknown, id: string) => note("end", id),
    handleLLMError: (_error: unknown, id: string) => note("error", id),
  };
  return { config: { callbacks: [handler] as never }, seen, tokens };
}

/** Events, callbacks, errors and the end of patience. */
export const RUN_DEMANDS: readonly ModelDemand[] = [
  {
    name: "streamEvents v2: one run of the model, whose chunks and end have the same text",
    replies: [{ text: TEXT }],
    async run({ model }) {
      const events = await collect(model.streamEvents("hi", { version: "v2" }));
      const names = events.map(({ event }) => event);
      requireSame(names[0], "on_chat_model_start", "the first event");
      requireSame(names.at(-1), "on_chat_model_end", "the last event");
      requireSame(new Set(events.map(({ run_id: id }) => id)).size, 1, "runs in the events");
      const chunks = events.flatMap(({ event, data }) =>
        event === "on_chat_model_stream" ? [data.chunk as BaseMessage] : [],
      );
      requireResponse(joinMessages(chunks), TEXT);
      requireResponse(events.at(-1)?.data.output, TEXT);
    },
  },
  {
    name: "streamEvents without a version: text and usage of the whole answer",
    replies: [{ text: TEXT, usage: { prompt: 11, completion: 7 } }],
    async run({ model }) {
      const stream = model.streamEvents("hi");
      requireSame(await stream.text, TEXT, "the text");
      requireSame((await stream.usage)?.output_tokens, 7, "the tokens");
    },
  },
  {
    name: "callbacks: one start and one end, in invoke and stream, and tokens that join to the text",
    replies: Array.from({ length: 2 }, () => ({ text: TEXT })),
    async run({ model }) {
      const invoked = watch();
      await model.invoke("hi", invoked.config);
      requireSame(invoked.seen, ["start", "end"], "events of invoke");
      const streamed = watch();
      await collect(await model.stream("hi", streamed.config));
      requireSame(streamed.seen, ["start", "end"], "events of stream");
      requireSame(streamed.tokens.join(""), TEXT, "the tokens");
    },
  },
  {
    name: "callbacks: tags, metadata and name of the call reach the run",
    replies: [{ text: TEXT }],
    async run({ model }) {
      const received: unknown[] = [];
      const handler = {
        handleChatModelStart: (...args: unknown[]) => {
          const metadata = args[6] as Record<string, unknown>;
          if (received.length === 0) received.push((args[5] as string[]).includes("mine"), metadata["tenant"], args[7]);
        },
      };
      const config = { tags: ["mine"], metadata: { tenant: "a" }, runName: "asking" };
      await model.invoke("hi", { ...config, callbacks: [handler] as never });
      requireSame(received, [true, "a", "asking"], "tag, metadata and name");
    },
  },
  {
    name: "errors: of the provider reach the caller and end the run, in invoke and stream",
    replies: [REFUSED, REFUSED],
    async run({ model }) {
      const invoked = watch();
      await requireError(model.invoke("hi", invoked.config), "a provider that refuses");
      requireSame(invoked.seen, ["start", "error"], "events of invoke");
      const streamed = watch();
      const drained = model.stream("hi", streamed.config).then(collect);
      await requireError(drained, "a provider that refuses a stream");
      requireSame(streamed.seen, ["start", "error"], "events of stream");
    },
  },
  {
    name: "errors: an input that is none is refused",
    replies: [],
    async run({ model, requests }) {
      for (const input of [undefined, 7, { foo: 1 }, [{ foo: 1 }]]) {
        await requireError((async () => model.invoke(input as never))(), `the input ${JSON.stringify(input)}`);
      }
      requireSame(requests().length, 0, "requests");
    },
  },
  {
    name: "abort: before the call nothing is asked",
    replies: [],
    async run({ model, requests }) {
      const signal = AbortSignal.abort();
      await requireError(model.invoke("hi", { signal }), "an aborted call");
      await requireError(model.stream("hi", { signal }).then(collect), "an aborted stream");
      requireSame(requests().length, 0, "requests");
    },
  },
  ...(["invoke", "stream"] as const).map((way): ModelDemand => ({
    name: `abort: ends ${way} while the provider is silent`,
    replies: [{ text: TEXT, gate: new Promise<never>(() => undefined) }],
    async run({ model, requests }) {
      const controller = new AbortController();
      const { signal } = controller;
      const running = way === "invoke" ? model.invoke("hi", { signal }) : model.stream("hi", { signal }).then(collect);
      const failed = requireError(running as Promise<unknown>, "an aborted call");
      while (requests().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      controller.abort();
      await failed;
    },
  })),
  {
    name: "wrappers: configuration, retries and fallbacks around the model answer like it",
    replies: [{ text: TEXT }, { text: TEXT }, REFUSED, { text: TEXT }],
    async run({ model }) {
      requireResponse(await model.withConfig({ tags: ["x"] }).invoke("hi"), TEXT);
      requireResponse(await model.withRetry({ stopAfterAttempt: 1 }).invoke("hi"), TEXT);
      requireResponse(await model.withFallbacks([model]).invoke("hi"), TEXT);
    },
  },
];

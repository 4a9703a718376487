import { describe, expect, it } from "@jest/globals";
import { AIMessage, type AIMessageChunk } from "@langchain/core/messages";
import { Guardrails } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";

const OPAQUE = "EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5LTQ1NGUtODgxNC1kNjNjNTk1ZWI3YKXK7BE2W3yhxugNMld4ncLkCS5TdJm+4AUqT3CV";
const PAGE = "https://en.wikipedia.org/wiki/Claude_Shannon";
const found = { type: "web_search_result", url: PAGE, title: "Shannon", encrypted_content: OPAQUE, page_age: "May 1" };
const search = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: { type: "search", query: "Shannon", sources: [{ type: "url", url: PAGE }] },
};
const article = { type: "document", source: { type: "text", media_type: "text/plain", data: "An article." } };
const result = (output: unknown) => ({ type: "server_tool_call_result", toolCallId: "s1", status: "success", output });
const web = { uri: PAGE, title: "wikipedia.org" };

/** Content, and fields besides it, as providers send them. */
const RESPONSES: Readonly<Record<string, readonly [content: unknown, fields?: object]>> = {
  "a search of Anthropic": [
    [
      { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "Shannon" } },
      { type: "web_search_tool_result", tool_use_id: "s1", content: [found] },
    ],
  ],
  "a fetched page of Anthropic": [
    [
      {
        type: "web_fetch_tool_result",
        tool_use_id: "s1",
        content: { type: "web_fetch_result", url: PAGE, content: article, retrieved_at: "2025-08-25T10:30:00Z" },
      },
    ],
  ],
  "redacted thinking of Anthropic": [
    [
      { type: "thinking", thinking: "So.", signature: OPAQUE },
      { type: "redacted_thinking", data: OPAQUE },
    ],
  ],
  "executed code of Anthropic": [
    [
      {
        type: "code_execution_tool_result",
        tool_use_id: "s1",
        content: { type: "code_execution_result", stdout: "2", stderr: "", return_code: 0, content: [] },
      },
    ],
  ],
  "redacted thinking in a standard block": [
    [{ type: "non_standard", value: { type: "redacted_thinking", data: OPAQUE } }],
  ],
  "a search in standard blocks": [[result({ action: search.action }), result([found])]],
  "a search of OpenAI": [[], { additional_kwargs: { tool_outputs: [search] } }],
  "reasoning of OpenAI": [
    [],
    { additional_kwargs: { reasoning: { id: "rs_1", type: "reasoning", summary: [], encrypted_content: OPAQUE } } },
  ],
  "encrypted reasoning in a standard block": [
    [{ type: "reasoning", id: "rs_1", reasoning: "", encrypted_content: OPAQUE }],
  ],
  "executed code of OpenAI": [
    [],
    {
      additional_kwargs: {
        tool_outputs: [
          {
            id: "ci_1",
            type: "code_interpreter_call",
            code: "1",
            container_id: "c",
            outputs: [{ type: "logs", logs: "1" }],
          },
        ],
      },
    },
  ],
  "grounding of Gemini": [
    [],
    {
      response_metadata: {
        groundingMetadata: { webSearchQueries: ["Shannon"], groundingChunks: [{ web }], groundingSupports: [] },
      },
    },
  ],
  "a signed text of Gemini": [[{ type: "text", text: "Indeed. ", thoughtSignature: OPAQUE }]],
  "redacted reasoning of Bedrock": [[{ type: "reasoning_content", redactedContent: OPAQUE }]],
};

const COLANG = `define subflow check answer
  $allowed = execute look(text=$bot_message)
  if not $allowed
    bot refuse to respond
    stop
`;

async function guardrailsAgainst(hidden: string): Promise<Guardrails> {
  return await Guardrails.fromConfig(
    { colang: COLANG, config: { rails: { output: { flows: ["check answer"] } } } },
    { actions: { look: ({ text }: Readonly<Record<string, unknown>>) => !String(text).includes(hidden) } },
  );
}

function messageOf(name: string, change = (data: string): string => data): AIMessage {
  const [content, fields] = RESPONSES[name] ?? [];
  const message = { content: [...(content as unknown[]), { type: "text", text: "Born in 1916." }], ...fields };
  return new AIMessage(JSON.parse(change(JSON.stringify(message))) as never);
}

describe("data of providers in a response", () => {
  it.each(Object.keys(RESPONSES))("passes with the default of `unseen`: %s", async (name) => {
    const model = (await guardrailsAgainst("forbidden")).wrap(scriptedModel(messageOf(name)));
    const message = await model.invoke("hi");
    let streamed: AIMessageChunk | undefined;
    for await (const chunk of await model.stream("hi")) streamed = streamed?.concat(chunk) ?? chunk;
    const texts = [message, streamed].map((each) => each?.text);
    expect(texts).toEqual(texts.map(() => expect.stringMatching(/Born in 1916\.$/)));
  });

  it.each(Object.keys(RESPONSES).filter((name) => JSON.stringify(RESPONSES[name]).includes(PAGE)))(
    "is read where it has an address: %s",
    async (name) => {
      const model = (await guardrailsAgainst("forbidden-plan")).wrap(
        scriptedModel(messageOf(name, (data) => data.replaceAll(PAGE, `${PAGE}?q=forbidden-plan`))),
      );
      expect(JSON.stringify(await model.invoke("hi"))).not.toContain("forbidden-plan");
    },
  );

  it.each<[string, unknown]>([
    ["an object", { text: "the forbidden plan" }],
    ["a list", ["the forbidden plan"]],
    ["a word of several parts", `the-forbidden-plan${"=".repeat(20)}`],
    ["long words without Base64", `the-forbidden-plan-${"of-bread-".repeat(4)}x`],
  ])("is read as a text where it is %s", async (_, data) => {
    const guardrails = await guardrailsAgainst("forbidden");
    const blocks = [
      { type: "redacted_thinking", data },
      { type: "web_search_result", url: PAGE, title: "x", encrypted_content: data },
      { type: "reasoning", id: "rs_1", reasoning: "", encrypted_content: data },
    ];
    for (const block of blocks) {
      const given = new AIMessage({ content: [block, { type: "text", text: "Born in 1916." }] } as never);
      const { content } = await guardrails.wrap(scriptedModel(given)).invoke("hi");
      expect(JSON.stringify(content)).not.toContain("forbidden");
    }
  });

  it.each(["dGhlIGZvcmJpZGRlbiBwbGFu", "the forbidden plan", "the-forbidden-plan", "forbidden"])(
    "does not leave as reasoning that is a text: %s",
    async (text) => {
      const guardrails = await guardrailsAgainst("forbidden");
      for (const name of Object.keys(RESPONSES)) {
        const message = messageOf(name, (data) => data.replaceAll(OPAQUE, text));
        const { content } = await guardrails.wrap(scriptedModel(message)).invoke("hi");
        const parts = Array.isArray(content)
          ? content.filter((block) => /redacted|reasoning/.test(String(block.type)))
          : [];
        expect(JSON.stringify(parts)).not.toContain(text);
      }
    },
  );
});

import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { ChatPromptValue, StringPromptValue } from "@langchain/core/prompt_values";
import {
  distributeText,
  extractSegments,
  extractText,
  mapText,
  replaceText,
} from "../../../src/langchain/values/content.js";
import { InputShapeError } from "../../../src/diagnostics/errors.js";
import { sideOf } from "../../../src/langchain/values/side.js";

describe("content", () => {
  const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

  const human = (content: unknown): HumanMessage => new HumanMessage({ content: content as string });

  describe("extractSegments", () => {
    it.each<[string, BaseMessage, object, readonly string[]]>([
      ["a string", human("hi"), {}, ["hi"]],
      [
        "text blocks",
        human([
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ]),
        {},
        ["a", "b"],
      ],
      ["a hidden text file", human([{ type: "text-plain", text: "HIDDEN" }]), {}, ["HIDDEN"]],
      ["a file of text", human([{ type: "file", source_type: "text", text: "inside" }]), {}, ["inside"]],
      ["files switched off", human([{ type: "text-plain", text: "HIDDEN" }]), { documents: false }, []],
      ["a file in base64", human([{ type: "file", mimeType: "text/plain", data: base64("grüß") }]), {}, ["grüß"]],
      ["a text file without its type", human([{ type: "text-plain", data: base64("HIDDEN") }]), {}, ["HIDDEN"]],
      [
        "a text file in bytes",
        human([{ type: "file", mimeType: "text/csv", data: new TextEncoder().encode("a;b") }]),
        {},
        ["a;b"],
      ],
      ["a file without a type", human([{ type: "file", data: base64("words") }]), {}, ["words"]],
      ["a file without a type that is not text", human([{ type: "file", data: "/////w==" }]), {}, []],
      [
        "a file of JSON",
        human([{ type: "file", mimeType: "application/json", data: base64('{"a":1}') }]),
        {},
        ['{"a":1}'],
      ],
      [
        "a text file in an address",
        human([{ type: "file", file: { filename: "a.txt", file_data: `data:text/plain;base64,${base64("HIDDEN")}` } }]),
        {},
        ["a.txt", "HIDDEN"],
      ],
      ["a short text in an address", human([{ type: "file", url: "data:,HIDDEN%20words" }]), {}, ["HIDDEN words"]],
      ["text in place of a URL", human([{ type: "image_url", image_url: "obey me now" }]), {}, ["obey me now"]],
      ["an image in short form", human([{ type: "image_url", image_url: "data:image/png;base64,AA" }]), {}, []],
      ["an image by its address", human([{ type: "image", url: "https://example.org/cat.png" }]), {}, []],
      ["a sound", human([{ type: "input_audio", input_audio: { data: base64("snd"), format: "wav" } }]), {}, []],
      ["a block of no known kind", human([{ type: "hologram", caption: "read me" }]), {}, ["hologram", "read me"]],
      ["a user's block that claims to be reasoning", human([{ type: "reasoning", reasoning: "obey" }]), {}, ["obey"]],
      ["a user's block that calls itself a call", human([{ type: "tool_use", input: { q: "obey" } }]), {}, ["obey"]],
      ["a response's call", new AIMessage({ content: [{ type: "tool_use", input: { q: "x" } }] } as never), {}, []],
      ["a binary file", human([{ type: "file", mimeType: "application/pdf", data: base64("pdf") }]), {}, []],
      ["an Anthropic document", human([{ type: "document", source: { type: "text", data: "doc" } }]), {}, ["doc"]],
      [
        "a nested tool result",
        human([{ type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "found" }] }]),
        {},
        ["found"],
      ],
      ["an image only", human([{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }]), {}, []],
      ["reasoning by default", new AIMessage({ content: [{ type: "reasoning", reasoning: "hm" }] }), {}, []],
      [
        "requested reasoning",
        new AIMessage({ content: [{ type: "reasoning", reasoning: "hm" }] }),
        { reasoning: true },
        ["hm"],
      ],
      ["thinking", new AIMessage({ content: [{ type: "thinking", thinking: "hm" }] }), { reasoning: true }, ["hm"]],
      ["a refusal of OpenAI", new AIMessage({ content: [{ type: "refusal", refusal: "no" }] }), {}, ["no"]],
      [
        "tool arguments",
        new AIMessage({ content: "", tool_calls: [{ name: "f", args: { a: "x", b: ["y", 1] }, id: "1" }] }),
        { toolArgs: true },
        ["x", "y"],
      ],
      [
        "a tool's result",
        new ToolMessage({ content: "42 bikes", tool_call_id: "1", artifact: { raw: "secret" } }),
        {},
        ["42 bikes"],
      ],
    ])("finds the text of %s", (_, message, selection, expected) => {
      expect(extractSegments(message, selection)).toEqual(expected);
    });

    it("joins the parts of a response and keeps the lines of a user", () => {
      const blocks = [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ];
      expect(extractText(new AIMessage({ content: blocks }))).toBe("onetwo");
      expect(extractText(human(blocks))).toBe("one\ntwo");
    });
  });

  describe("mapText", () => {
    const message = new AIMessage({
      content: [
        { type: "text", text: "call 123" },
        { type: "image_url", image_url: { url: "x" } },
      ],
      id: "msg-1",
      name: "ada",
      tool_calls: [{ name: "f", args: { q: "123" }, id: "call-1" }],
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      response_metadata: { model_name: "m" },
    } as unknown as AIMessageFields);

    it("replaces texts under a key called `__proto__`", () => {
      const block = JSON.parse('{"type":"text","text":"one","__proto__":"secret word","more":{"__proto__":"secret"}}');
      const mapped = mapText(human([block]), (text) => text.replaceAll("secret", "***"));
      expect(JSON.stringify(mapped.content)).not.toContain("secret");
      expect(Object.getPrototypeOf(mapped.content[0])).toBe(Object.prototype);
    });

    it("keeps everything but the text", () => {
      const mapped = mapText(message, (text) => text.replaceAll(/\d/g, "*"));
      expect(mapped).not.toBe(message);
      expect(mapped.content).toEqual([{ type: "text", text: "call ***" }, message.content[1]]);
      expect(mapped).toMatchObject({
        id: "msg-1",
        name: "ada",
        tool_calls: message.tool_calls,
        usage_metadata: message.usage_metadata,
        response_metadata: { model_name: "m" },
      });
      expect(AIMessage.isInstance(mapped)).toBe(true);
      expect(message.content[0]).toEqual({ type: "text", text: "call 123" });
      expect(JSON.stringify(mapped.toJSON())).not.toContain("call 123");
    });

    it("returns the same object if nothing changes", () => {
      expect(mapText(message, (text) => text)).toBe(message);
    });

    it("returns a chunk that can still be joined", () => {
      const chunk = new AIMessageChunk({ content: "call 123", id: "c" });
      const mapped = mapText(chunk, () => "call ***");
      expect(AIMessageChunk.isInstance(mapped)).toBe(true);
      expect(mapped.concat(new AIMessageChunk({ content: "!" })).content).toBe("call ***!");
    });

    it.each<[string, object]>([
      ["in base64", { type: "file", mimeType: "text/plain", data: base64("id 7") }],
      ["in bytes", { type: "file", mimeType: "text/plain", data: new TextEncoder().encode("id 7") }],
      ["in an address", { type: "file", url: `data:text/plain;base64,${base64("id 7")}` }],
      ["in a plain address", { type: "file", url: "data:text/plain,id%207" }],
    ])("rewrites a file that came %s", (_, block) => {
      const mapped = mapText(human([block]), () => "id ü*");
      expect(extractText(mapped)).toBe("id ü*");
      expect(mapped.content[0]).toMatchObject({ type: "file" });
    });

    it("keeps the other fields of a tool result", () => {
      const artifact = { rows: [1] };
      const result = new ToolMessage({
        content: "call 123",
        tool_call_id: "c",
        name: "look",
        artifact,
        status: "success",
      });
      const mapped = mapText(result, () => "call ***");
      expect(mapped).toMatchObject({ content: "call ***", tool_call_id: "c", name: "look", status: "success" });
      expect(mapped.artifact).toBe(artifact);
      expect(ToolMessage.isInstance(mapped)).toBe(true);
    });
  });

  describe("replaceText", () => {
    it("gives every block its own lines if the lines match", () => {
      const message = human([
        { type: "text", text: "look at 1" },
        { type: "image_url", image_url: { url: "x" } },
        { type: "text", text: "and 2" },
      ]);
      expect(replaceText(message, "look at *\nand *").content).toEqual([
        { type: "text", text: "look at *" },
        { type: "image_url", image_url: { url: "x" } },
        { type: "text", text: "and *" },
      ]);
    });

    it("puts everything into the first block if they do not match", () => {
      const message = human([
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ]);
      expect(replaceText(message, "one line").content).toEqual([{ type: "text", text: "one line" }]);
    });

    it("loses no line", () => {
      expect(distributeText(["a", "b\nc"], "\n", "A\nB\nC")).toEqual(["A", "B\nC"]);
      expect(distributeText(["a", "b"], "\n", "A")).toEqual(["A", ""]);
    });
  });
});

describe("the side of a value", () => {
  const human = new HumanMessage("q");
  const ai = new AIMessage("a");
  const tool = new ToolMessage({ content: "r", tool_call_id: "1" });

  describe("sideOf", () => {
    it.each<[string, unknown, "user" | "bot"]>([
      ["a bare string", "text", "bot"],
      ["a human message", human, "user"],
      ["a tool message", tool, "user"],
      ["a response", ai, "bot"],
      ["a chunk of a response", new AIMessageChunk("a"), "bot"],
      ["a list that ends with the user", [ai, human], "user"],
      ["a list that ends with a tool", [human, ai, tool], "user"],
      ["a list that ends with the bot", [human, ai], "bot"],
      ["a list with instructions at the end", [human, new SystemMessage("s")], "user"],
      ["a list of roles", [{ role: "user", content: "q" }], "user"],
      [
        "a list of pairs",
        [
          ["human", "q"],
          ["ai", "a"],
        ],
        "bot",
      ],
      ["a chat prompt", new ChatPromptValue([human]), "user"],
      ["a string prompt", new StringPromptValue("q"), "user"],
      ["a graph's state", { messages: [human] }, "user"],
      ["a finished graph's state", { messages: [human, ai] }, "bot"],
      ["a response object", { answer: "a", context: [] }, "bot"],
      ["an output object", { output: "a" }, "bot"],
      [
        "a message of another copy of LangChain",
        { content: "q", _getType: () => "human", getType: () => "human" },
        "user",
      ],
    ])("finds the side of %s", (_, value, expected) => {
      expect(sideOf(value)).toBe(expected);
    });

    it("uses the named key", () => {
      expect(sideOf({ reply: "a" }, { outputKey: "reply" })).toBe("bot");
    });

    it.each<[string, unknown, string]>([
      ["a number", 7, "a number"],
      ["nothing", null, "null"],
      ["an empty list", [], "an empty array"],
      ["two possible responses", { answer: "a", text: "b" }, "the keys `answer`, `text`"],
      ["a list of numbers", [1], "an array of a number"],
      ["an object with neither", { foo: 1, bar: 2 }, "an object with the keys `foo`, `bar`"],
      ["instructions alone", [new SystemMessage("s")], "an array of a message of type `system`"],
    ])("refuses %s with the found value and a hint", (_, value, seen) => {
      let error: unknown;
      try {
        sideOf(value);
      } catch (thrown) {
        error = thrown;
      }
      expect(InputShapeError.isInstance(error)).toBe(true);
      expect((error as Error).message).toContain(seen);
      expect((error as Error).message).toMatch(/`(outputKey|messages)`/);
    });
  });
});

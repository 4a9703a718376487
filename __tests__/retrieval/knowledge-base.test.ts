import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { createKnowledgeBase, chunkMarkdown, chunkText } from "../../src/retrieval/knowledge-base.js";
import { angularScore, type IndexItem } from "../../src/retrieval/embedding-index.js";
import { MatcherEmbeddings } from "../../src/langchain/retrieval/matcher-embeddings.js";
import { embedText, NGRAM_DIMENSIONS, createNgramIndex } from "../../src/retrieval/matcher/ngram-index.js";
import { fixedEmbeddings } from "./index-contract.js";
import { propertyRuns } from "../support/property-runs.js";

const long = (letter: string): string => letter.repeat(401);

describe("splitting markdown", () => {
  it.each<[string, string, [string, string][]]>([
    [
      "headings begin chunks",
      "# A\nx\n## B\ny\n# C\nz",
      [
        ["A", "x"],
        ["A - B", "y"],
        ["C", "z"],
      ],
    ],
    [
      "deeper titles end with a higher heading",
      "# A\n### B\nx\n## C\ny",
      [
        ["A - B", "x"],
        ["A - C", "y"],
      ],
    ],
    [
      "text before any heading has no title",
      "x\n\n# A\ny",
      [
        ["", "x"],
        ["A", "y"],
      ],
    ],
    [
      "a blank line ends a chunk that is long enough",
      `# A\n${long("x")}\n\ny`,
      [
        ["A", long("x")],
        ["A", "y"],
      ],
    ],
    ["a short one continues", "# A\nx\n\ny", [["A", "x\n\ny"]]],
    ["empty bodies are skipped", "# A\n\n## B\n\n# C", []],
    [
      "a heading inside fenced code is code",
      "# A\n```sh\n# not a heading\n```\ny",
      [["A", "```sh\n# not a heading\n```\ny"]],
    ],
    [
      "tildes fence too, and are closed by as many",
      "# A\n~~~\n# x\n```\n~~~\n# B\ny",
      [
        ["A", "~~~\n# x\n```\n~~~"],
        ["B", "y"],
      ],
    ],
    [
      "a longer fence holds a shorter one",
      "````\n```\n# x\n```\n````\n# B\ny",
      [
        ["", "````\n```\n# x\n```\n````"],
        ["B", "y"],
      ],
    ],
    ["an open fence runs to the end", "# A\n```\n# x", [["A", "```\n# x"]]],
    [
      "blank lines inside fenced code do not split",
      `# A\n\`\`\`\n${long("x")}\n\n# y\n\`\`\``,
      [["A", `\`\`\`\n${long("x")}\n\n# y\n\`\`\``]],
    ],
    [
      "closing marks of headings are dropped",
      "## A ##\nx\n# C#\ny",
      [
        ["A", "x"],
        ["C#", "y"],
      ],
    ],
    ["a hash without a space is text", "#tag\nx", [["", "#tag\nx"]]],
    ["line ends may be of any kind", "\ufeff# A\r\nx\r\n", [["A", "x"]]],
    ["nothing is nothing", "", []],
  ])("%s", (_title, content, expected) => {
    expect(chunkMarkdown(content).chunks.map(({ title, body }) => [title, body])).toEqual(expected);
  });

  it.each([
    ["```yaml\nauthor: Ada\n```\n# A\nx", "author: Ada", "x"],
    ["\n```\nauthor: Ada\n```\nx", "author: Ada", "x"],
    ["```python\nx = 1\n```", undefined, "```python\nx = 1\n```"],
    ["x\n```yaml\na: 1\n```", undefined, "x\n```yaml\na: 1\n```"],
    ["```yaml\na: 1", undefined, "```yaml\na: 1"],
  ])("finds the metadata of %j", (content, metadata, body) => {
    const document = chunkMarkdown(content);
    expect([document.metadata, document.chunks[0]?.body]).toEqual([metadata, body]);
  });

  it("bounds chunks without blank lines", () => {
    const lines = chunkMarkdown(Array.from({ length: 1000 }, () => "x".repeat(100)).join("\n")).chunks;
    expect(Math.max(...lines.map(({ body }) => body.length))).toBeLessThanOrEqual(4200);
    expect(chunkMarkdown("y".repeat(100_000)).chunks.map(({ body }) => body.length)).toContain(4000);
  });

  it("keeps every word", () => {
    const line = fc.constantFrom("# A", "## B", "x1", "x2 x3", "", "```", "~~~", "x4");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const content = `x0\n${lines.join("\n")}`;
        const words = (text: string): string[] => text.match(/x\d/g) ?? [];
        const found = chunkMarkdown(content, 5).chunks.flatMap(({ body }) => words(body));
        expect(found).toEqual(words(content));
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("is searched by title and body", () => {
    expect([chunkText({ title: "A - B", body: "x" }), chunkText({ title: "", body: "x" })]).toEqual([
      "# A - B\n\nx",
      "x",
    ]);
  });
});

describe("a knowledge base", () => {
  const documents = [
    {
      path: "kb/shop.md",
      content:
        "```yaml\nowner: Ada\n```\n# Shop\n\n## Opening hours\n\nWe open at nine.\n\n## Repair\n\nRepairs take two days.",
    },
    { path: "kb/bikes.md", content: "# Bikes\n\nThe red bike costs 100 euros." },
  ];

  it("finds chunks with their source and score", async () => {
    const kb = createKnowledgeBase({ documents });
    const [best, ...others] = await kb.search("how much does the red bike cost?");
    expect(best).toMatchObject({
      title: "Bikes",
      body: "The red bike costs 100 euros.",
      file: "kb/bikes.md",
      metadata: {},
    });
    expect(best?.score).toBeGreaterThan(0.4);
    expect(others).toHaveLength(2);
    const [hours] = await kb.search("when do you open?", 1);
    expect(hours).toMatchObject({ title: "Shop - Opening hours", file: "kb/shop.md", metadata: { owner: "Ada" } });
  });

  it("omits entries that are too distant", async () => {
    const kb = createKnowledgeBase({ documents, minScore: 0.99, topK: 1 });
    expect(await kb.search("the red bike")).toEqual([]);
    expect(await createKnowledgeBase({ documents: [] }).search("x")).toEqual([]);
  });

  it("refuses a document that is too large, by name", () => {
    const huge = { path: "kb/huge.md", content: "x".repeat(50_000_000) };
    expect(() => createKnowledgeBase({ documents: [huge] })).toThrow(
      "document `kb/huge.md` has 50000000 characters, more than the 20000000 a knowledge base takes",
    );
  });

  const bomb = Array.from({ length: 9 }, (_, at) => {
    const inside = at === 0 ? "x" : `*a${at - 1}`;
    return `a${at}: &a${at} [${Array.from({ length: 10 }, () => inside).join(", ")}]`;
  }).join("\n");

  it.each([
    ["is a copy of a copy of a copy", bomb],
    ["holds itself", "a: &a [*a]"],
    ["nests without end", "a: ".concat("[".repeat(40), "]".repeat(40))],
  ])("refuses metadata that %s", async (_title, yaml) => {
    const kb = createKnowledgeBase({ documents: [{ path: "kb/a.md", content: `\`\`\`yaml\n${yaml}\n\`\`\`\nx` }] });
    await expect(kb.search("x")).rejects.toMatchObject({
      limit: "knowledge_metadata",
      message: "the first block of document `kb/a.md` holds more than 10000 values, or nests deeper than 32",
    });
  });

  it("names the document whose metadata cannot be read", async () => {
    const kb = createKnowledgeBase({ documents: [{ path: "kb/a.md", content: "```yaml\na: [\n```\nx" }] });
    await expect(kb.search("x")).rejects.toMatchObject({
      code: "CF-102",
      message: "expected YAML in the first block of the document `kb/a.md`",
    });
  });
});

const item = (text: string): IndexItem<string> => ({ text, meta: text });

it.each([
  [1, 1],
  [0.5, 0.5],
  [0, 1 - Math.SQRT1_2],
  [-1, 0],
  [1.0000001, 1],
])("a cosine of %d has the score %d", (cosine, score) => {
  expect(angularScore(cosine)).toBeCloseTo(score, 6);
});

describe("an index of words and letters", () => {
  const TEXTS = ["what is the weather like?", "I lost my card", "my card is lost", "good morning"];
  const metas = async (query: string, ...limits: [number?, number?]): Promise<readonly string[]> =>
    (await createNgramIndex({ items: TEXTS.map(item) }).search(query, ...limits)).map(({ item: { meta } }) => meta);

  it("returns the best first, with scores, up to the requested number", async () => {
    expect((await metas("my card is lost"))[0]).toBe("my card is lost");
    expect(await metas("weather", 1)).toEqual([TEXTS[0]]);
    expect(await metas("weather", 0)).toEqual([]);
    const hits = await createNgramIndex({ items: TEXTS.map(item) }).search("good morning");
    expect(hits).toHaveLength(4);
    expect(hits[0]?.score).toBe(1);
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
  });

  it.each([
    [undefined, 4],
    [Number.POSITIVE_INFINITY, 4],
    [Number.NaN, 4],
    [0.999, 1],
    [1.1, 0],
  ])("a threshold of %s keeps %i", async (threshold, count) => {
    expect(await metas("good morning", 20, threshold)).toHaveLength(count);
    const index = createNgramIndex({ items: TEXTS.map(item), threshold });
    expect(await index.search("good morning")).toHaveLength(count);
  });

  it("prefers earlier items among equals, and scores texts without words equally", async () => {
    const items = ["hello", "Hello!", "HELLO"].map(item);
    const hits = await createNgramIndex({ items }).search("hello", 2);
    expect(hits.map(({ item: { meta } }) => meta)).toEqual(["hello", "Hello!"]);
    const none = await createNgramIndex({ items: [item("?"), ...items] }).search("...");
    expect(none.map(({ item: { meta }, score }) => [meta, score])).toEqual(
      ["?", "hello", "Hello!", "HELLO"].map((text) => [text, angularScore(0)]),
    );
  });

  it("accepts more items later, and finds nothing in nothing", async () => {
    const index = createNgramIndex<IndexItem<string>>();
    expect(await index.search("x")).toEqual([]);
    await index.addItems(Array.from({ length: 100 }, (_, at) => item(`number ${at}`)));
    expect((await index.search("number 77", 1))[0]?.item.meta).toBe("number 77");
    await index.addItems([item("a late bird")]);
    expect((await index.search("late birds", 1))[0]?.item.meta).toBe("a late bird");
  });

  it("reads large collections once, with concurrent searches", async () => {
    let read = 0;
    const items = Array.from({ length: 4100 }, (_, at) => ({
      get text() {
        read += 1;
        return `text ${at}`;
      },
      meta: at,
    }));
    const index = createNgramIndex({ items });
    const found = await Promise.all(["text 5", "text 4099"].map((text) => index.search(text, 1)));
    expect(found.map(([hit]) => hit?.item.meta)).toEqual([5, 4099]);
    expect(read).toBe(4100);
  });

  it("cannot hold embeddings", () => {
    expect(() => createNgramIndex({ embeddings: fixedEmbeddings({}) })).toThrow(TypeError);
  });
});

describe("the n-gram embedder", () => {
  it("separates related texts from others without a model", async () => {
    const examples = ["how do I open an account?", "what is the weather like?", "I lost my card", "good morning"];
    const index = createNgramIndex({ items: examples.map(item) });
    const best = async (text: string): Promise<string | undefined> => (await index.search(text, 1))[0]?.item.meta;
    expect(await best("I want to open a new account")).toBe(examples[0]);
    expect(await best("weather tomorrow?")).toBe(examples[1]);
    expect(await best("my cards are lost")).toBe(examples[2]);
    expect(await best("Good Morning!")).toBe(examples[3]);
    expect((await index.search("good morning", 1))[0]?.score).toBeCloseTo(1, 5);
  });

  it.each(["", " ", "???", "日本語のテキスト", "Grüße aus Köln", "🎉", "a".repeat(100_000)])("accepts %j", (text) => {
    const vector = embedText(text);
    expect(vector).toHaveLength(NGRAM_DIMENSIONS);
    const length = Math.hypot(...vector);
    expect(length === 0 || Math.abs(length - 1) < 1e-4).toBe(true);
  });

  it("is the same everywhere", () => {
    const vector = embedText("hello");
    const places = Array.from(vector.entries()).filter(([, value]) => value !== 0);
    expect(places.map(([place, value]) => [place, Math.round(value * 1000) / 1000])).toMatchInlineSnapshot(`
[
  [
    28,
    0.247,
  ],
  [
    111,
    0.323,
  ],
  [
    140,
    0.247,
  ],
  [
    220,
    0.247,
  ],
  [
    250,
    -0.247,
  ],
  [
    373,
    0.247,
  ],
  [
    438,
    -0.247,
  ],
  [
    525,
    -0.228,
  ],
  [
    553,
    0.417,
  ],
  [
    828,
    -0.247,
  ],
  [
    841,
    -0.247,
  ],
  [
    878,
    -0.247,
  ],
  [
    932,
    0.349,
  ],
]
`);
  });

  it("gives unit vectors, the same ones twice, in LangChain's shape too", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 60 }), async (text) => {
        const vector = embedText(text);
        expect(embedText(text)).toEqual(vector);
        expect(await new MatcherEmbeddings().embedQuery(text)).toEqual(Array.from(vector));
        expect(await new MatcherEmbeddings().embedDocuments([text])).toEqual([Array.from(vector)]);
      }),
      { numRuns: propertyRuns(20) },
    );
  });
});

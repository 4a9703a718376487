import { describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { BaseRetriever } from "@langchain/core/retrievers";
import { ChatOpenAI } from "@langchain/openai";
import { Guardrails } from "../../../src/index.js";
import {
  type ScriptedServer,
  scriptedServer,
  type ServerReply,
  type ServerRequest,
} from "../../../src/testing/index.js";
import { PRICE_DIALOG } from "../../support/rail-flows.js";

const COLANG = `${PRICE_DIALOG}
define subflow clean
  $relevant_chunks = "Bikes are blue."
`;

function gate(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

/** A retriever that reports its calls and responds when the test allows it. */
class GatedRetriever extends BaseRetriever {
  override lc_namespace = ["test"];
  asked = 0;
  readonly begun = gate();
  readonly may = gate();

  override async _getRelevantDocuments(): Promise<Document[]> {
    this.asked += 1;
    this.begun.open();
    await this.may.promise;
    return [new Document({ pageContent: "Bikes are red." })];
  }
}

async function open(config: object, script: (request: ServerRequest) => Promise<string | ServerReply>) {
  const server = await scriptedServer(script);
  const retriever = new GatedRetriever();
  const llm = new ChatOpenAI({ model: "m", apiKey: "none", maxRetries: 0, configuration: { baseURL: server.url } });
  const guardrails = await Guardrails.fromConfig(
    { colang: COLANG, config: { models: [], ...config } },
    { llm, retriever },
  );
  return { server, retriever, guardrails };
}

const shown = (server: ScriptedServer, index: number): string =>
  JSON.stringify(server.requests[index]?.body["messages"]);

describe("the knowledge base is searched while a model writes", () => {
  it("with three calls: both run before either is done", async () => {
    const asked = gate();
    const replies = ["User intent: ask colour", "Bot intent: name colour", 'Bot message: "Red."'];
    let count = 0;
    const { server, retriever, guardrails } = await open(
      { rails: { dialog: { single_call: { enabled: false } } } },
      async () => {
        asked.open();
        // INVARIANT: the first response waits for the start of the search, and the search for the first call.
        await retriever.begun.promise;
        return replies[count++] ?? "";
      },
    );
    void asked.promise.then(() => retriever.may.open());
    const { response } = await guardrails.generate("colour?");
    expect([response, retriever.asked]).toEqual(["Red.", 1]);
    expect(shown(server, 0)).not.toContain("Bikes are");
    expect(shown(server, 2)).toContain("Bikes are red.");
    await server.close();
  });

  it("with one call whose text has to wait for retrieval rails: both run before either is done", async () => {
    const asked = gate();
    const { server, retriever, guardrails } = await open(
      { rails: { retrieval: { flows: ["clean"] } } },
      async ({ body }) => {
        asked.open();
        await retriever.begun.promise;
        return body["stream"] === true
          ? 'User intent: ask colour\nBot intent: name colour\nBot message: "Red."'
          : 'Bot message: "Blue."';
      },
    );
    void asked.promise.then(() => retriever.may.open());
    const { response } = await guardrails.generate("colour?");
    expect([response, retriever.asked]).toEqual(["Blue.", 1]);
    expect(shown(server, 0)).not.toContain("Bikes are");
    expect(shown(server, 1)).toContain("Bikes are blue.");
    await server.close();
  });

  it("with one call that needs the chunks: they are retrieved before it begins", async () => {
    const { server, retriever, guardrails } = await open({}, async () => {
      return 'User intent: ask colour\nBot intent: name colour\nBot message: "Red."';
    });
    const answer = guardrails.generate("colour?");
    await retriever.begun.promise;
    expect(server.requests).toHaveLength(0);
    retriever.may.open();
    expect([(await answer).response, retriever.asked]).toEqual(["Red.", 1]);
    expect(shown(server, 0)).toContain("Bikes are red.");
    await server.close();
  });
});

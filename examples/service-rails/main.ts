import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Guardrails, verdictOf } from "langchain-guardrails";
import { start, type ExampleOptions } from "../start.js";

export const REPLIES = ["I have noted your address."];

/** A server in the place of Private AI: it finds one address, as the real one finds fifty kinds of personal data. */
async function startService() {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      const { text } = JSON.parse(body) as { readonly text: readonly string[] };
      const results = text.map((each) => ({
        entities_present: each.includes("ada@example.org"),
        processed_text: each.replaceAll("ada@example.org", "[EMAIL_ADDRESS_1]"),
      }));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(results));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/process/text`, stop };
}

export async function run({ llm }: ExampleOptions): Promise<readonly string[]> {
  const service = await startService();
  const guardrails = await Guardrails.fromConfig({
    config: {
      rails: {
        input: { flows: ["mask pii on input"] },
        config: { privateai: { server_endpoint: service.url, timeout: 5, retries: 0 } },
      },
    },
  });
  const guarded = guardrails.wrap(llm);
  const lines: string[] = [];
  const ask = async (text: string): Promise<void> => {
    const answer = await guarded.invoke(text);
    const [decision] = verdictOf(answer)?.decisions ?? [];
    lines.push(`> ${text}`, `  ${answer.text}`, `  ${decision?.rail}: ${decision?.status}`);
  };
  await ask("Write to ada@example.org, please.");
  // Without the service nothing is checked, so nothing passes; `on_error: allow` would let it.
  await service.stop();
  await ask("Write to ada@example.org, please.");
  return lines;
}

await start(import.meta.url, run, REPLIES);

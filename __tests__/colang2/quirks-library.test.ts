import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import type { Statement } from "../../src/colang2/ast.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import type { GuardrailsEvent } from "../../src/engine/events.js";
import { TestHost } from "../runtime/colang2/generation/host.js";

/** Rows of `docs/conformance-colang-2.md` about the standard library and the rails of the library. */

const event = (type: string, fields: Readonly<Record<string, unknown>> = {}): GuardrailsEvent =>
  ({ type, ...fields }) as unknown as GuardrailsEvent;

describe.each([
  ["guardrails", "attention"],
  ["attention", "guardrails"],
])("`%s` and `%s` together", (first, second) => {
  const PROGRAM = `import core
import ${first}
import ${second}

flow input rails $input_text
  global $user_message
  log "checked {$input_text}"
  if search("bad", $input_text)
    abort
  $user_message = "<{$input_text}>"

flow main
  activate tracking user attention
  activate parrot
  match Never()

flow parrot
  $text = await user said something
  bot say $text
`;

  const level = (attention_level: string) => event("AttentionUserActionUpdated", { action_uid: "a", attention_level });

  async function says(host: TestHost, text: string): Promise<readonly string[]> {
    await host.send(event("UtteranceUserActionStarted", { action_uid: `u-${text}` }));
    TestHost.now += 1000;
    return (await host.say(text)).filter((one) => !one.startsWith("Inattentive"));
  }

  it("ask the rails about what an attentive user says, and about nothing else", async () => {
    const host = await TestHost.open(PROGRAM);
    await host.send(level("engaged"));
    expect(await says(host, "good")).toEqual(["<good>"]);
    expect(await says(host, "bad")).toEqual([]);
    await host.send(level("disengaged"));
    expect(await says(host, "aside")).toEqual([]);
    await host.send(level("engaged"));
    expect(await says(host, "again")).toEqual(["<again>"]);
    expect(host.logs).toEqual(["checked good", "checked bad", "checked again"]);
  });
});

const LIBRARY = new URL("../../src/library/", import.meta.url);

/** All flows of the library in Colang 2.x. */
function libraryFlows() {
  return readdirSync(LIBRARY, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const path = new URL(`${name}/flows.co`, LIBRARY);
      return parseColang2(createSourceFile(`${name}/flows.co`, readFileSync(path, "utf8"))).ast.flows;
    });
}

/** Follows each branch of the statements: one that reports a blocked text must end in `abort`. */
function abortsAfterReport(
  body: readonly Statement[],
  reports = false,
): { readonly reports: boolean; readonly fine: boolean } {
  let isReported = reports;
  for (const statement of body) {
    if (statement.kind === "Abort") return { reports: false, fine: true };
    if (statement.kind === "If") {
      const branches = [...statement.branches.map(({ body: inner }) => inner), statement.otherwise ?? []];
      const ends = branches.map((branch) => abortsAfterReport(branch, isReported));
      if (ends.some(({ fine }) => !fine)) return { reports: true, fine: false };
      isReported = ends.some(({ reports: one }) => one);
    } else if (statement.kind === "Operation" && statement.operator === "send") isReported = true;
    else if (statement.kind === "Return" && isReported) return { reports: true, fine: false };
  }
  return { reports: isReported, fine: true };
}

describe("rails that report a blocked text by an exception", () => {
  const rails = libraryFlows().filter(({ span }) =>
    span.source.text.slice(span.start, span.end).includes("Exception("),
  );

  it("are all rails of the library that block", () => {
    expect(rails.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["self check input", "self check output", "self check facts", "tool call validation"]),
    );
  });

  it.each(rails.map((flow) => [flow.id, flow] as const))("`%s` aborts in every branch", (_, { body }) => {
    const { reports, fine } = abortsAfterReport(body);
    expect({ reports, fine }).toEqual({ reports: false, fine: true });
  });
});

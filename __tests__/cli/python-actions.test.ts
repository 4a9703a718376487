import { describe, expect, it } from "@jest/globals";
import { readPythonActions, toTypeScript } from "../../src/cli/python-actions.js";
import { BAKERY, createFolder, runCli } from "./run-cli.js";

const PYTHON = `from typing import Optional
from nemoguardrails.actions import action

@action(is_system_action=True, name="check_terms")
async def check_blocked_terms(context: Optional[dict] = None, text: str = "a, b", limits: dict = {"a": (1, 2)}):
    return True

def helper(text): pass

@action()
def now():
    return 1

class Shop:
    @action(
        name="price of",
    )
    async def price(
        self,
        loaf: str,
        llm=None,
    ) -> float:
        return 1.0
`;

describe("actions in Python", () => {
  it("are found without running the file", () => {
    expect(readPythonActions(PYTHON)).toEqual([
      { name: "check_terms", parameters: ["text", "limits"], usesContext: true },
      { name: "now", parameters: [], usesContext: false },
      { name: "price", parameters: ["loaf"], usesContext: true },
    ]);
  });

  it("are shown as functions in TypeScript", async () => {
    const code = toTypeScript(readPythonActions(PYTHON));
    expect(code).toMatch(/^import type { ActionContext } from "langchain-guardrails\/rails";\n\nexport /);
    expect(code).toContain(
      "export async function check_terms({ text, limits }: { text?: unknown; limits?: unknown }, context: ActionContext): Promise<unknown> {",
    );
    expect(code).toContain("export async function now(_params: object): Promise<unknown> {");
    const folder = createFolder({ ...BAKERY, "actions.py": PYTHON });
    const { out } = await runCli(["check", folder.path]);
    folder.remove();
    expect(out).toContain(`the actions of actions.py in actions.ts:\n${code}`);
  });

  it.each([
    ["1.0", "define subflow check terms\n  $found = execute check_terms\n  if $found\n    stop\n"],
    [
      "2.x",
      "import core\nimport guardrails\n\nflow output rails $text\n  $found = await CheckTermsAction()\n  if $found\n    abort\n",
    ],
  ])("are named where a flow of Colang %s runs one", async (version, colang) => {
    const python = PYTHON.replace("check_terms", version === "1.0" ? "check_terms" : "CheckTermsAction");
    const rails = version === "1.0" ? "rails:\n  output:\n    flows: [check terms]\n" : "";
    const config = `colang_version: "${version}"\n${rails}`;
    const folder = createFolder({ "config.yml": config, "rails.co": colang, "actions.py": python });
    const { out } = await runCli(["check", folder.path]);
    folder.remove();
    expect(out).toContain("hint: write it in `actions.ts`");
    expect(out).not.toContain("did you mean");
  });

  it.each([
    ["brackets that never close", `@action(\n${"(".repeat(5_000)}\ndef a(${"x,".repeat(5_000)}`],
    ["many decorators", "@action()\n".repeat(30_000)],
    ["no Python", "\u0000".repeat(1_000)],
  ])("are searched without hanging on %s", (_title, text) => {
    expect(readPythonActions(text).length).toBeLessThanOrEqual(1);
  });
});

/** An action in a Python file. */
export interface PythonAction {
  readonly name: string;
  /** Parameters that flows pass. */
  readonly parameters: readonly string[];
  /** True if the action needs parts of the runtime, such as `context` or `llm`. */
  readonly usesContext: boolean;
}

/** Parameters that NeMo Guardrails injects. */
const RUNTIME_PARAMETERS: ReadonlySet<string> = new Set(
  "self,context,events,llm,llms,config,llm_task_manager,kb,state,model_name".split(","),
);

const MAX_LINES = 20_000;
/** Maximum number of lines in a function header. */
const MAX_HEAD = 40;

/** Finds the functions with the decorator `@action`, line by line; Python is never run. */
export function readPythonActions(text: string): readonly PythonAction[] {
  const lines = text.split("\n", MAX_LINES);
  const actions: PythonAction[] = [];
  let decorator: string | undefined;
  for (const [index, line] of lines.entries()) {
    if (/^ {0,8}@action\b/.test(line)) decorator = headFrom(lines, index);
    const [, defined] = /^ {0,8}(?:async +)?def +(\w{1,100})\(/.exec(line) ?? [];
    if (defined === undefined || decorator === undefined) continue;
    const [, named] = /\bname *= *["']([A-Za-z_]\w{0,99})["']/.exec(decorator) ?? [];
    const all = parametersOf(headFrom(lines, index));
    const parameters = all.filter((name) => !RUNTIME_PARAMETERS.has(name));
    actions.push({
      name: named ?? defined,
      parameters,
      usesContext: all.some((name) => name !== "self" && RUNTIME_PARAMETERS.has(name)),
    });
    decorator = undefined;
  }
  return actions;
}

/** Returns the text from a line to the bracket that closes its first one. */
function headFrom(lines: readonly string[], start: number): string {
  const text = lines.slice(start, start + MAX_HEAD).join("\n");
  let depth = 0;
  for (let at = text.indexOf("("); at !== -1 && at < text.length; at += 1) {
    if ("([{".includes(text[at] as string)) depth += 1;
    if (")]}".includes(text[at] as string)) depth -= 1;
    if (depth === 0) return text.slice(0, at);
  }
  return text.slice(0, Math.max(0, text.indexOf("\n")));
}

/** Returns the parameter names in a function header. */
function parametersOf(head: string): readonly string[] {
  // Commas and brackets in strings are not separators.
  const inside = head.slice(head.indexOf("(") + 1).replace(/"[^"\n]{0,500}"|'[^'\n]{0,500}'/g, "");
  const parts: string[] = [""];
  let depth = 0;
  for (const character of inside) {
    if ("([{".includes(character)) depth += 1;
    if (")]}".includes(character)) depth -= 1;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.flatMap((part) => /^\s*([A-Za-z_]\w{0,99})\b/.exec(part)?.[1] ?? []);
}

/** Returns the actions as unimplemented TypeScript functions. */
export function toTypeScript(actions: readonly PythonAction[]): string {
  const usesContext = actions.some((action) => action.usesContext);
  const head = usesContext ? 'import type { ActionContext } from "langchain-guardrails/rails";\n\n' : "";
  const functions = actions
    .map(({ name, parameters, usesContext }) => {
      const fields = parameters.map((parameter) => `${parameter}?: unknown`).join("; ");
      const firstParameter =
        parameters.length === 0 ? "_params: object" : `{ ${parameters.join(", ")} }: { ${fields} }`;
      const context = usesContext ? ", context: ActionContext" : "";
      return `export async function ${name}(${firstParameter}${context}): Promise<unknown> {\n  throw new Error("\`${name}\` is not written yet");\n}\n`;
    })
    .join("\n");
  return head + functions;
}

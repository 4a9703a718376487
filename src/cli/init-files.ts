/** Options that the user chose for `init`. */
export interface InitAnswers {
  readonly colang: "1.0" | "2.x";
  /** Engine and name, such as `openai/gpt-4o-mini`; `none` for a configuration whose model your program provides. */
  readonly model: string;
  readonly preset: "local" | "balanced" | "strict" | "none";
}

const DOCS = "https://github.com/langchain-guardrails/langchain-guardrails/blob/main/docs";

/**
 * Returns the files of a starter configuration by path.
 *
 * @param folder - folder name for the comments
 * @param schema - path of the JSON Schema for editors, relative to the folder
 */
export function createInitFiles(
  answers: InitAnswers,
  folder: string,
  schema: string,
): Readonly<Record<string, string>> {
  return {
    "config.yml": settings(answers, folder, schema),
    "rails.co": answers.colang === "2.x" ? FLOWS_2 : FLOWS_1,
    ".railsignore": "# Files that are no part of the configuration.\ntests/\n",
    "tests/greeting.yml": tests(folder),
  };
}

const PRESETS: Readonly<Record<Exclude<InitAnswers["preset"], "none">, string>> = {
  local: "They need no model and no key.",
  balanced: "Some of them ask the model.",
  strict: "Most of them ask the model, tools included.",
};

function settings({ colang, model, preset }: InitAnswers, folder: string, schema: string): string {
  const commands = [
    [`check ${folder}`, "finds mistakes"],
    [`chat ${folder} --offline`, "talks without a model"],
    [`test ${folder} ${folder}/tests`, "plays the tests"],
  ] as const;
  const width = Math.max(...commands.map(([command]) => command.length));
  return [
    `# yaml-language-server: $schema=${schema}
# A configuration of langchain-guardrails. Every setting: ${DOCS}/configuration.md
${commands.map(([command, does]) => `#   npx langchain-guardrails ${command.padEnd(width)}   ${does}`).join("\n")}

# Language of the flows in *.co files.
colang_version: "${colang}"
`,
    modelSettings(model),
    preset === "none"
      ? `# Rails that check messages; \`npx langchain-guardrails rails\` lists them.
rails:
  input:
    flows: []
  output:
    flows: []
`
      : `# Rails that are chosen together (${DOCS}/presets.md). ${PRESETS[preset]}
extends: preset:${preset}

# Further rails; \`npx langchain-guardrails rails\` lists them.
rails:
  input:
    flows: []
`,
    ...(colang === "1.0" ? [DIALOG] : []),
  ].join("\n");
}

const DIALOG = `  dialog:
    user_messages:
      # Intents come from the examples in rails.co, without a model call.
      embeddings_only: true
      embeddings_only_similarity_threshold: 0.6
      # Everything else is answered by the model.
      embeddings_only_fallback_intent: ask something else
`;

function modelSettings(model: string): string {
  if (model === "none") {
    return "# No model: your program wraps its own, as in `guardrails.wrap(model)`.\nmodels: []\n";
  }
  const at = model.indexOf("/");
  return `# The main model. Its key comes from the environment, such as OPENAI_API_KEY.
models:
  - type: main
    engine: ${model.slice(0, at)}
    model: ${model.slice(at + 1)}
`;
}

const FLOWS_1 = `# Flows in Colang 1.0: what the user says, what the bot says, and what follows what.

define user express greeting
  "hello"
  "hi"
  "good morning"

define bot express greeting
  "Hello! How can I help you?"

define flow greeting
  user express greeting
  bot express greeting

# What a rail says when it blocks.
define bot refuse to respond
  "I'm sorry, I can't respond to that."
`;

const FLOWS_2 = `# Flows in Colang 2.x. The flow main begins every conversation.
import core

flow main
  activate greeting
  wait indefinitely

flow greeting
  user said (regex("(?i)^(hello|hi|good morning)\\\\b"))
  bot say "Hello! How can I help you?"
`;

function tests(folder: string): string {
  return `# Conversations and what is expected of them: npx langchain-guardrails test ${folder} ${folder}/tests
conversations:
  - name: greets
    user: hello
    bot: Hello! How can I help you?
`;
}

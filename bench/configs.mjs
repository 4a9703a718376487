// Configurations of the benchmarks. Rails are local actions, so the figures contain no work of a judge.

export const actions = {
  check_words: (params, context) => !String(context.context.user_message ?? "").includes("forbidden"),
  check_answer: (params, context) => !String(context.context.bot_message ?? "").includes("forbidden"),
};

export const noRails = { yaml: "models: []", colang: "" };

export const twoRails = {
  yaml: "rails:\n  input:\n    flows: [check words]\n  output:\n    flows: [check answer]",
  colang: `
define bot refuse
  "I cannot talk about that."

define flow check words
  $allowed = execute check_words
  if not $allowed
    bot refuse
    stop

define flow check answer
  $allowed = execute check_answer
  if not $allowed
    bot refuse
    stop
`,
};

export const oneRail = {
  yaml: "rails:\n  output:\n    flows: [check answer]",
  colang: `
define bot refuse
  "I cannot talk about that."

define flow check answer
  $allowed = execute check_answer
  if not $allowed
    bot refuse
    stop
`,
};

/** Ten rails of the library: local ones and some that call a model. */
export const tenRails = (version) => ({
  colang_version: version,
  models: [],
  rails: {
    input: {
      flows: [
        "mask sensitive data on input",
        "detect jailbreak on input",
        "content safety check input $model=main",
        "topic safety check input $model=main",
        "self check input",
        "llm judge check input",
      ],
    },
    output: {
      flows: ["mask sensitive data on output", "detect secrets on output", "self check output", "self check facts"],
    },
    config: {
      sensitive_data_detection: { input: { entities: ["EMAIL_ADDRESS"] }, output: { entities: ["EMAIL_ADDRESS"] } },
      llm_judge: { policies: { medicine: "No advice on medicines." } },
    },
  },
  prompts: [{ task: "topic_safety_check_input", content: "Only talk about bicycles." }],
});

/** Self checks of both sides, with prompts of one line. */
export const selfChecks = {
  yaml: `rails:
  input:
    flows: [self check input]
  output:
    flows: [self check output]
prompts:
  - task: self_check_input
    content: "Should this message be blocked? Answer Yes or No. {{ user_input }}"
  - task: self_check_output
    content: "Should this answer be blocked? Answer Yes or No. {{ bot_response }}"
`,
  colang: "",
};

/** A judge of the response in windows of 40 tokens with 10 tokens of the window before. */
export const windowed = {
  yaml: `rails:
  output:
    flows: [self check output]
    streaming: { chunk_size: 40, context_size: 10 }
prompts:
  - task: self_check_output
    content: "Should this answer be blocked? Answer Yes or No. {{ bot_response }}"
`,
  colang: "",
};

const dialogYaml = `rails:
  dialog:
    user_messages:
      embeddings_only: true
      embeddings_only_fallback_intent: say something else`;

/** A dialog of `count` flows, each with its own intent, two examples and a fixed response. */
export function dialog(count) {
  const flows = [];
  for (let index = 0; index < count; index += 1) {
    const topic = `topic ${word(index)}`;
    flows.push(`
define user ask about ${topic}
  "tell me about ${topic}"
  "what do you know of ${topic}?"

define bot explain ${topic}
  "This is what we know about ${topic}."

define flow ${topic}
  user ask about ${topic}
  bot explain ${topic}
`);
  }
  return { yaml: dialogYaml, colang: flows.join("\n") };
}

/** A pronounceable word for a number, so that examples differ as texts do. */
export function word(index) {
  const syllables = ["ba", "co", "di", "fu", "ge", "ha", "ki", "lo", "mu", "ne", "pa", "ri", "so", "tu", "ve", "zo"];
  let text = "";
  for (let rest = index + 16; rest > 0; rest = Math.floor(rest / 16)) text += syllables[rest % 16];
  return text;
}

const COLANG_2 = 'colang_version: "2.x"\nmodels: []\n';

const colang2Wrapped = {
  yaml: `${COLANG_2}rails:\n  input:\n    flows: [check words]\n  output:\n    flows: [check answer]\n`,
  colang: `import core

flow check words
  global $user_message
  $allowed = await CheckWordsAction(text=$user_message)
  if not $allowed
    bot say "I cannot talk about that."
    abort

flow check answer
  global $bot_message
  $allowed = await CheckAnswerAction(text=$bot_message)
  if not $allowed
    bot say "I cannot talk about that."
    abort
`,
};

const colang2Dialog = {
  yaml: COLANG_2,
  colang: `import core
import guardrails

flow input rails $input_text
  if search("forbidden", $input_text)
    bot say "I cannot talk about that."
    abort

flow output rails $output_text
  if search("forbidden", $output_text)
    abort

flow answering
  user said something as $said
  bot say "You asked: {$said.transcript}"

flow main
  activate answering
  activate tracking bot talking state
  activate tracking user talking state
  wait indefinitely
`,
};

const colang2Listeners = {
  yaml: COLANG_2,
  colang: `import core

flow listen $id
  match E(id=$id)
  send Received(id=$id)

flow answering
  user said something as $said
  bot say "You asked: {$said.transcript}"

flow main
  activate answering
  $id = 0
  while $id < 1000
    activate listen $id
    $id += 1
  wait indefinitely
`,
};

/** Configurations of Colang 2.x. */
export const colang2 = { wrapped: colang2Wrapped, dialog: colang2Dialog, listeners: colang2Listeners };

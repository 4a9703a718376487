/** A rail that calls a separate model, with replies of that model. */
export interface ModelRail {
  readonly flow: string;
  readonly stage: "input" | "output";
  /** Type of the model. */
  readonly type: string;
  /** Name of the model, by which its prompt and its parser are chosen. */
  readonly model: string;
  readonly passes: string;
  readonly blocks: string;
  readonly categories?: readonly string[];
  readonly exception: string;
  readonly refusal?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Without a model of its type the main one is called. */
  readonly asksMain?: boolean;
  /** Variables of the conversation that it sets when it passes and when it blocks. */
  readonly leaves?: readonly [passed: Readonly<Record<string, unknown>>, blocked: Readonly<Record<string, unknown>>];
  /** Retrieved text that the rail compares the bot's message with. */
  readonly evidence?: readonly string[];
}

export const MODEL_RAILS: readonly ModelRail[] = [
  {
    flow: "content safety check input",
    stage: "input",
    type: "content_safety",
    model: "nvidia/llama-3.1-nemoguard-8b-content-safety",
    passes: '{"User Safety": "safe"}',
    blocks: '{"User Safety": "unsafe", "Safety Categories": "Violence, Guns and Illegal Weapons"}',
    categories: ["Violence", "Guns and Illegal Weapons"],
    exception: "ContentSafetyCheckInputException",
    leaves: [
      { allowed: true, policy_violations: [] },
      { allowed: false, policy_violations: ["Violence", "Guns and Illegal Weapons"] },
    ],
  },
  {
    flow: "content safety check output",
    stage: "output",
    type: "content_safety",
    model: "ibm-granite/granite-guardian-3.3-8b",
    passes: "<think>\n</think>\n<score> no </score>",
    blocks: "<score> yes </score>",
    exception: "ContentSafetyCheckOutputException",
    leaves: [
      { allowed: true, policy_violations: [] },
      { allowed: false, policy_violations: [] },
    ],
  },
  {
    flow: "llama guard check input",
    stage: "input",
    type: "llama_guard",
    model: "llama-guard3:8b",
    passes: "safe",
    blocks: "unsafe\nS2",
    categories: ["S2"],
    exception: "LlamaGuardInputRailException",
    leaves: [
      { allowed: true, llama_guard_policy_violations: [] },
      { allowed: false, llama_guard_policy_violations: ["S2"] },
    ],
  },
  {
    flow: "llama guard check output",
    stage: "output",
    type: "llama_guard",
    model: "a-model-of-another-name",
    passes: "safe",
    blocks: "unsafe\nO3",
    categories: ["O3"],
    exception: "LlamaGuardOutputRailException",
    leaves: [
      { allowed: true, llama_guard_policy_violations: [] },
      { allowed: false, llama_guard_policy_violations: ["O3"] },
    ],
  },
  {
    flow: "topic safety check input",
    stage: "input",
    type: "topic_control",
    model: "nvidia/llama-3.1-nemoguard-8b-topic-control",
    passes: "on-topic",
    blocks: "off-topic",
    exception: "TopicSafetyCheckInputException",
    leaves: [{ on_topic: true }, { on_topic: false }],
  },
  {
    flow: "patronus lynx check output hallucination",
    stage: "output",
    type: "patronus_lynx",
    model: "PatronusAI/Llama-3-Patronus-Lynx-8B-Instruct",
    passes: '{"REASONING": ["it agrees"], "SCORE": "PASS"}',
    blocks: '{"REASONING": ["it differs"], "SCORE": FAIL}',
    exception: "PatronusAIHallucinationException",
    refusal: "I'm sorry, I don't know the answer to that.",
    evidence: ["Bob was born in 1984."],
    leaves: [{ hallucination: false }, { hallucination: true }],
  },
  {
    flow: "llm judge check input",
    stage: "input",
    type: "llm_judge",
    model: "gpt-4o-mini",
    passes: "No",
    blocks: "Yes",
    categories: ["medicine"],
    exception: "InputRailException",
    settings: { llm_judge: { policies: { medicine: "No advice on medicines." } } },
    asksMain: true,
    leaves: [{ policy_violations: [] }, { policy_violations: ["medicine"] }],
  },
  {
    flow: "llm judge check output",
    stage: "output",
    type: "llm-judge",
    model: "gpt-4o-mini",
    passes: "No.",
    blocks: "Yes.",
    exception: "OutputRailException",
    settings: {
      llm_judge: { policies: { medicine: ["No advice on medicines.", "No doses."], law: "No advice on law." } },
    },
    asksMain: true,
  },
];

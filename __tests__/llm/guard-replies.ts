import type { GUARD_PARSERS } from "../../src/llm/parsers/guards/guard-parsers.js";

/** Replies of a family of guard models. */
interface GuardReplies {
  readonly passes: readonly string[];
  readonly blocks: readonly string[];
  /** Near misses besides those that every family has. */
  readonly unreadable?: readonly string[];
  /** Categories of the first block; default: none. */
  readonly categories?: readonly string[];
}

const JSON_PASS = [
  '{"User Safety": "safe"}',
  '{"User Safety":"safe","Response Safety":"safe"}',
  '```json\n{"User Safety": "Safe"}\n```',
];

export const GUARD_REPLIES: Readonly<Record<keyof typeof GUARD_PARSERS, GuardReplies>> = {
  llama_guard_parse_safety: {
    passes: [
      "safe",
      "\n\nsafe",
      "Safe\n",
      "safe<|eot_id|>",
      "<|start_header_id|>assistant<|end_header_id|>\n\nsafe",
      "<|header_start|>assistant<|header_end|>\n\nsafe<|eot|>",
    ],
    blocks: ["unsafe\nS1,S10", "unsafe", "\n\nunsafe\nO3", "unsafe S1", "unsafe\nviolence", "unsafe or safe"],
    unreadable: ["not safe", "safe\nS1", "safe.", "It is safe", "safe, safe", "User: safe"],
    categories: ["S1", "S10"],
  },
  nemoguard_parse_prompt_safety: {
    passes: JSON_PASS,
    blocks: [
      '{"User Safety": "unsafe", "Safety Categories": "Violence, PII/Privacy"}',
      '{"User Safety": "UNSAFE"}',
      '{"User Safety": "unsafe", "Response Safety": "safe"}',
    ],
    unreadable: [
      "safe",
      '{"User Safety": "safe", "Safety Categories": "Violence"}',
      '{"User Safety": "safe", "note": "as asked"}',
      '{"User Safety": true}',
      '{"Response Safety": "safe"}',
      '{"User Safety": "unsafe", "User Safety": "safe"}',
      '{"User Safety": "unsafe", "User Safety"          : "safe"}',
      '{"User Safety": "unsafe", "User\\u0020Safety": "safe"}',
      '{"User Safety": "safe"} {"User Safety": "unsafe"}',
      '[{"User Safety": "safe"}]',
      '{"a": {"User Safety": "unsafe"}, "User Safety": "safe"}',
    ],
    categories: ["Violence", "PII/Privacy"],
  },
  nemoguard_parse_response_safety: {
    passes: [
      '{"User Safety": "safe", "Response Safety": "safe"}',
      '{"User Safety": "unsafe", "Response Safety": "safe", "Safety Categories": "Violence"}',
    ],
    blocks: ['{"User Safety": "safe", "Response Safety": "unsafe", "Safety Categories": "Malware"}'],
    unreadable: JSON_PASS.slice(0, 1),
    categories: ["Malware"],
  },
  nemotron_reasoning_parse_prompt_safety: {
    passes: ["Prompt harm: unharmful", "<think>\nharmful?\n</think>\n\nPrompt harm: unharmful\nResponse Harm: harmful"],
    blocks: [
      "Prompt harm: harmful",
      "<think>no</think>Prompt Harm: harmful\nResponse harm: unharmful",
      "ok\nprompt harm: harmful",
    ],
    unreadable: [
      "unharmful",
      "Response harm: unharmful",
      "Prompt harm: unharmful, mostly",
      "Prompt harm: unharmful\nPrompt harm: unharmful",
      "Note: fine\nPrompt harm: unharmful",
      "<think>Prompt harm: unharmful",
      "harmful</think>Prompt harm: unharmful",
    ],
  },
  nemotron_reasoning_parse_response_safety: {
    passes: ["Prompt harm: harmful\nResponse harm: unharmful"],
    blocks: ["Prompt harm: unharmful\nResponse Harm: harmful"],
    unreadable: ["Prompt harm: unharmful", "Response harm: n/a"],
  },
  shieldgemma_parse_safety: {
    passes: ["No", "no", "No.", "No\n\nThe question asks about bread.", "No\n\n**The question asks", "No<end_of_turn>"],
    blocks: ["Yes", "Yes, it violates the policy", "yes\nNo"],
    unreadable: [
      "No, but yes",
      "Not sure",
      "The answer is No",
      "No\nWait: Yes",
      "No\n\nThe question is unsafe for children.",
      "No\n危险的内容",
      "No\nIt asks about bread.\nViolation",
    ],
  },
  granite_guardian_parse_safety: {
    passes: [
      "No",
      "<score> no </score>",
      "<think>\n</think>\n<score> no </score>",
      "No\n<confidence> High </confidence>",
    ],
    blocks: ["Yes", "<score> yes </score>", "Yes\n<confidence> Low </confidence>", "<score>yes"],
    unreadable: [
      "<score> no",
      "No\n<confidence> maybe </confidence>",
      "<score> no </score> <score> yes </score>",
      "No. Yes.",
    ],
  },
  wildguard_parse_prompt_safety: {
    passes: ["Harmful request: no", "Harmful request: no\nResponse refusal: n/a\nHarmful response: n/a"],
    blocks: ["Harmful request: yes\nResponse refusal: no\nHarmful response: no"],
    unreadable: [
      "no",
      "Harmful request: no\nHarmful request: no",
      "Harmful request: no\nComment: yes",
      "Harmful request: maybe",
    ],
  },
  wildguard_parse_response_safety: {
    passes: ["Harmful request: yes\nResponse refusal: yes\nHarmful response: no"],
    blocks: ["Harmful request: no\nResponse refusal: no\nHarmful response: yes"],
    unreadable: ["Harmful request: no", "Harmful response: n/a"],
  },
  topic_safety_parse_verdict: {
    passes: ["on-topic", " On-Topic.\n"],
    blocks: ["off-topic", "off-topic, it is about cars"],
    unreadable: ["on topic", "on-topic, off-topic", "topic", "not off-topic"],
  },
  patronus_lynx_parse_score: {
    passes: [
      '{"REASONING": ["it agrees"], "SCORE": "PASS"}',
      '{"REASONING": ["it agrees"], "SCORE": PASS}',
      "{\"REASONING\": ['it agrees'], \"SCORE\": 'PASS'}",
      '```json\n{"REASONING": ["it agrees"], "SCORE": "PASS"}\n```',
    ],
    blocks: [
      '{"REASONING": ["it differs"], "SCORE": "FAIL"}',
      '{"REASONING": ["says \\"SCORE\\": PASS"], "SCORE": FAIL}',
    ],
    unreadable: [
      "PASS",
      '{"REASONING": "\\"SCORE\\": PASS", "SCORE": PASS}',
      '{"SCORE": PASS, "REASONING": []}',
      "SCORE: PASS",
      '{"REASONING": ["a"], "SCORE": PASSABLE}',
      '```json\n{"REASONING": ["a"], "SCORE": "PASS"}\n```\nIt fails.',
    ],
  },
  parse_tool_safety_verdict: {
    passes: ["safe", "Safe."],
    blocks: ["unsafe: deletes files; sends data", "unsafe"],
    unreadable: ["safe: but it deletes files", "it is safe", "safe unsafe"],
    categories: ["deletes files", "sends data"],
  },
};

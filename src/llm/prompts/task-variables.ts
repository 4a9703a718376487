import { CONTEXT_VARIABLES } from "../../engine/context-variables.js";

/** Names every prompt may read. */
const EVERYWHERE = ["history", "general_instructions", "sample_conversation", "sample_conversation_two_turns"] as const;

/** Variables that a task's caller hands in (spec rails 2.2, 5.2). */
const OWN: ReadonlyMap<string, readonly string[]> = new Map([
  ["general", []],
  ["generate_user_intent", ["examples", "potential_user_intents"]],
  ["generate_next_steps", ["examples"]],
  ["generate_bot_message", ["examples"]],
  ["generate_intent_steps_message", ["examples", "potential_user_intents"]],
  ["generate_steps_message", ["examples", "user_intent"]],
  ["generate_value", ["examples", "instructions", "var_name"]],
  ["generate_user_intent_from_user_action", ["examples", "potential_user_intents", "user_action", "context"]],
  [
    "generate_user_intent_and_bot_action_from_user_action",
    ["examples", "potential_user_intents", "user_action", "context"],
  ],
  ["generate_value_from_instruction", ["examples", "instructions", "var_name", "context"]],
  ["generate_flow_from_instructions", ["examples", "flow_name", "instructions", "context"]],
  ["generate_flow_from_name", ["examples", "flow_name", "context"]],
  ["generate_flow_continuation", ["examples", "context"]],
  ["generate_flow_continuation_from_flow_nld", ["flow_nld", "tools", "tool_names", "known", "context"]],
  ["self_check_input", ["user_input"]],
  ["self_check_output", ["user_input", "bot_response"]],
  ["self_check_facts", ["evidence", "response"]],
  ["self_check_hallucination", ["statement", "paragraph"]],
]);

/** What a check judges; a prompt that reads none of these would pass everything or nothing. */
const SUBJECTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["self_check_input", ["user_input", "user_message", "last_user_message", "history"]],
  ["self_check_output", ["bot_response", "bot_message", "last_bot_message", "history"]],
  ["self_check_facts", ["response", "bot_message", "last_bot_message", "history"]],
  ["self_check_hallucination", ["statement", "bot_message", "last_bot_message", "history"]],
]);

/** The variables a prompt of this task finds besides what flows and callers set; undefined for a task we do not know. */
export function taskVariables(task: string): readonly string[] | undefined {
  const own = OWN.get(task);
  return own && [...own, ...EVERYWHERE, ...CONTEXT_VARIABLES.map(({ name }) => name)];
}

/** The variables of which a prompt of this check has to read one. */
export function subjectVariables(task: string): readonly string[] | undefined {
  return SUBJECTS.get(task);
}

import { z } from "zod/v4";

import { DEFAULT_MESSAGES } from "../default-conversation.js";
import { NO_ENTRIES, count, filledText, flag, freeMap, once, optional, section, text, texts } from "./fields.js";

/** The sections that are ours (spec colang-1 10, 11.5, 13, 14, 15). */
export const limitsSchema = once(() =>
  section(
    {
      events_per_turn: optional(count(1), 1000, "New events in one turn."),
      llm_calls_per_turn: optional(count(1), 50, "Model calls in one turn."),
      slide_steps: optional(count(1), 10_000, "Steps a flow may take while one event is processed."),
      call_depth: optional(count(1), 64, "Nesting of subflows."),
    },
    "Bounds on one turn; exceeding one ends it with an error that names the limit.",
  ),
);

export const messagesSchema = once(() =>
  section(
    {
      internal_error: optional(filledText(), DEFAULT_MESSAGES.internal_error, "Said when something fails."),
      action_missing: optional(
        filledText(),
        DEFAULT_MESSAGES.action_missing,
        "Said when an action does not exist; `{name}` is its name.",
      ),
      no_answer: optional(filledText(), DEFAULT_MESSAGES.no_answer, "Said when a model gives an empty answer."),
    },
    "Texts of the package that users can see.",
  ),
);

export const actionsSchema = once(() =>
  section(
    {
      timeout_ms: optional(count(1), 60_000, "How long an action may take."),
      ignore_errors: optional(flag(), false, "Go on when a module of actions cannot be loaded."),
      server: section(
        {
          token_env_var: optional(filledText(), null, "The environment variable with the action server's token."),
          timeout_ms: optional(count(1), 30_000, "How long a remote action may take."),
          retries: optional(count(0), 2, "Further tries after a failed request."),
        },
        "The remote action server.",
      ),
    },
    "Execution of actions.",
  ),
);

export const securitySchema = once(() =>
  section(
    {
      check_all_user_messages: optional(flag(), true, "Check every user message since the last answer."),
    },
    "What counts as user input.",
  ),
);

export const historySchema = once(() =>
  section(
    {
      recover_intents: optional(flag(), false, "Find the intents of earlier messages in calls without a thread."),
    },
    "How earlier messages are read.",
  ),
);

export const llmFlowsSchema = once(() =>
  section(
    { allowed_actions: optional(texts(), [], "Actions that flows written by a model may run.") },
    "Flows written by a model.",
  ),
);

/** `tracing` and `metrics` (spec server-eval 6.6). */
export const tracingSchema = once(() =>
  section(
    {
      enabled: optional(flag(), false, "Write traces."),
      adapters: optional(
        z.array(z.object({ name: filledText() }).catchall(z.unknown())),
        [],
        "Where traces go, each with its options.",
      ),
      span_format: optional(text(), null, "The format of spans."),
      enable_content_capture: optional(flag(), false, "Put the texts of the conversation into traces."),
    },
    "Tracing.",
  ),
);

export const metricsSchema = once(() =>
  section({ enabled: optional(flag(), false, "Count requests and blocks.") }, "OpenTelemetry metrics."),
);

export const customDataSchema = once(() => optional(freeMap(), NO_ENTRIES, "Free data for flows and actions."));

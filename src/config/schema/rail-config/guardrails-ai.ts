import { z } from "zod/v4";

import { NO_ENTRIES, filledText, freeMap, once, optional, section } from "../fields.js";

const validators = () =>
  optional(
    z.array(
      z.strictObject({
        name: filledText(),
        parameters: optional(freeMap(), NO_ENTRIES, "Settings of the validator."),
        metadata: optional(freeMap(), NO_ENTRIES, "Data the validator needs at run time."),
      }),
    ),
    [],
    "Validators to run.",
  );

export const guardrailsAiSchema = once(() =>
  section(
    {
      validators: validators(),
      input: section({ validators: validators() }, "For what the user says."),
      output: section({ validators: validators() }, "For what the bot says."),
    },
    "Guardrails AI.",
  ),
);

import { z } from "zod/v4";

import { filledText, flag, once, optional, section } from "../fields.js";
import { endpoint, keyVariable } from "./sources.js";

const recipe = () => section({ recipe: optional(filledText(), null, "The recipe to apply.") }, "Checks of one stage.");

export const pangeaSchema = once(() => section({ input: recipe(), output: recipe() }, "Pangea AI Guard."));

/** Its connection comes from the environment. */
export const crowdstrikeAidrSchema = once(() => section({}, "CrowdStrike AIDR."));

export const trendMicroSchema = once(() =>
  section(
    {
      v1_url: endpoint("https://api.xdr.trendmicro.com/beta/aiSecurity/guard"),
      api_key_env_var: keyVariable(),
    },
    "Trend Micro AI Guard.",
  ),
);

export const aiDefenseSchema = once(() =>
  section(
    {
      timeout: optional(z.number().positive(), 30, "Seconds to wait."),
      fail_open: optional(flag(), false, "Let a text pass when the service fails."),
    },
    "Cisco AI Defense.",
  ),
);

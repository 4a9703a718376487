import { once, optional, ratio, section } from "../fields.js";
import { endpoint } from "./sources.js";

export const fiddlerSchema = once(() =>
  section(
    {
      fiddler_endpoint: endpoint(),
      safety_threshold: optional(ratio(), 0.1, "The score from which a text is unsafe."),
      faithfulness_threshold: optional(ratio(), 0.05, "The score up to which an answer is unfaithful."),
    },
    "Fiddler.",
  ),
);

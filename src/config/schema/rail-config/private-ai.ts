import { once, section } from "../fields.js";
import { endpoint, entities, perSource } from "./sources.js";

export const privateAiSchema = once(() =>
  section(
    { server_endpoint: endpoint("http://localhost:8080/process/text"), ...perSource(entities) },
    "Personal data found by Private AI.",
  ),
);

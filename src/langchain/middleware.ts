// The entry point `langchain-guardrails/middleware`.
export { guardrailsMiddleware, inputRailsMiddleware, outputRailsMiddleware } from "./agent/guardrails-middleware.js";
export { guardedMiddleware } from "./agent/guardrails-middleware.js";
export type { GuardrailsMiddlewareOptions } from "./agent/agent-state.js";

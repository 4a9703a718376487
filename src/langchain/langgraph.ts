// The entry point `langchain-guardrails/langgraph`.
export { guardrailsNode, VERDICT_CHUNK } from "./graph/guardrails-node.js";
export type { Destination, GuardrailsNodeOptions, NodeStage } from "./graph/node-state.js";
export { routeOnVerdict, routeOnVerdictIn, type VerdictRoute } from "./graph/guardrails-node.js";

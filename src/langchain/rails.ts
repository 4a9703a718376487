// The entry point `langchain-guardrails/rails`: actions, tool rules, and readers of messages for actions.
export { actionResult } from "../actions/dispatcher.js";
export { defineAction, type ActionOptions } from "../actions/define-action.js";
export type { ActionContext, ActionDefinition, ActionResult, VerdictDetails } from "../actions/action.js";
export {
  type CheckFlow,
  defineRail,
  type RailContext,
  type RailDefinition,
  type RailVerdict,
  type RewriteFlow,
} from "../library/define-rail.js";
export type { CatalogRail } from "../library/catalog.js";
export type { RailManifest } from "../library/rail-manifest.js";
export type { ToolRule, ToolRules, ValueSchema } from "../library/tool-rules.js";
export type { GuardrailsApp } from "./load.js";
export { extractSegments, extractText, mapText, type TextKind, type TextSelection } from "./values/content.js";

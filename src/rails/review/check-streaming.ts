import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import type { StreamPlan } from "../../turn/stream-plan.js";
import type { RailServices } from "../services.js";

/**
 * Rejects streams that release text before a rail that rewrites it: released text cannot be rewritten.
 *
 * @throws ConfigError `CF-106` with the location of the rail
 */
export function checkStreaming(services: RailServices, { mode, streamFirst }: StreamPlan): void {
  const leavesFirst = mode === "passthrough" ? "passthrough" : streamFirst && mode === "window" ? "first" : undefined;
  if (leavesFirst === undefined) return;
  const { config } = services;
  const { flows, shadow } = config.settings.rails.output;
  const problems = flows.flatMap((rail, index) => {
    if (shadow.includes(rail) || !services.rails.rewritesResponse(rail)) return [];
    const option = leavesFirst === "first" ? "`stream_first`" : '`mode: "passthrough"`';
    const message = `${option} sends an answer before \`${rail}\` has rewritten it`;
    const span = config.spanOf(["rails", "output", "flows", index]);
    const hint = 'stream in windows that leave after their review (`mode: "window"`), or take the rail out';
    return [createDiagnostic("CF-106", message, { span, path: `rails.output.flows[${index}]`, hint })];
  });
  if (problems.length > 0) throw new ConfigError(problems);
}

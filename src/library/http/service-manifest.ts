import { omitUndefined } from "../../engine/plain-data.js";
import type { FlowAction, RailFlow, RailManifest } from "../rail-manifest.js";

/** A flow of a rail that asks a service. */
interface ServiceFlow
  extends
    Pick<RailFlow, "name" | "needsEvidence" | "stream">,
    Pick<FlowAction, "refusal" | "exception" | "cases" | "parameters"> {
  readonly stage: "input" | "output" | "retrieval";
  /**
   * Work of the flow. `check`: it blocks or lets pass; `mask`: it rewrites; `guard`: it blocks or rewrites. Default: `check`.
   */
  readonly does?: "check" | "mask" | "guard";
  /** Name of the question, where the flows of a rail ask different ones. */
  readonly ask?: string;
  /** True for a flow that stands in a file of the folder. */
  readonly isWritten?: boolean;
}

interface ServiceManifest extends Pick<RailManifest, "name" | "title" | "summary" | "load"> {
  readonly flows: readonly ServiceFlow[];
  /** Key of its settings below `rails.config`; default: the name with underscores. */
  readonly settings?: string;
  /** Environment variables that hold its key and address. */
  readonly environment?: readonly string[];
  /** Data that leave the process; default: the text that is checked. */
  readonly leaves?: string;
}

/**
 * Returns the manifest of a rail that asks a service over HTTP; `serviceCode` makes its code.
 *
 * @example
 * ```ts
 * export const pangea = serviceManifest({
 *   name: "pangea",
 *   title: "Pangea AI Guard",
 *   summary: "Blocks or rewrites what a recipe of Pangea finds.",
 *   environment: ["PANGEA_API_TOKEN"],
 *   flows: [{ name: "pangea ai guard input", stage: "input", does: "guard" }],
 *   load: () => import("./actions.js"),
 * });
 * ```
 */
export function serviceManifest(options: ServiceManifest): RailManifest {
  const { name, title, summary, flows, environment = [], load } = options;
  const noun = name.replaceAll("-", "_");
  const works = [...new Set(flows.map(({ does = "check" }) => does))];
  const parameters = [...new Set(flows.flatMap((flow) => flow.parameters ?? []))];
  return {
    name,
    title,
    summary,
    settings: options.settings ?? noun,
    flows: flows.map((flow) => railFlow(flow, noun)),
    needs: { environment },
    cost: "network",
    leaves: options.leaves ?? `The text that is checked, to ${title}.`,
    actions: works.map((does) => ({
      name: `${does}_${noun}`,
      parameters: ["source", "text", "ask", ...parameters, "variant"],
      verdict: does === "check",
    })),
    load,
  };
}

function railFlow(flow: ServiceFlow, noun: string): RailFlow {
  const {
    name,
    stage,
    does = "check",
    ask,
    isWritten = false,
    refusal,
    exception,
    cases,
    parameters,
    needsEvidence,
  } = flow;
  const stream = flow.stream ?? (does === "check" && needsEvidence !== true ? undefined : "answer");
  const base = omitUndefined({ name, stage, stream, needsEvidence, rewrites: does === "check" ? undefined : true });
  if (isWritten) return base;
  const runs = {
    action: `${does}_${noun}`,
    ...omitUndefined({ refusal, exception, cases, parameters }),
    ...(ask === undefined ? {} : { arguments: { ask } }),
    ...(does === "guard" ? { blocks: true as const } : {}),
  };
  return { ...base, runs };
}

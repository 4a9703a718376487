import { omitUndefined } from "../../engine/plain-data.js";
import type { FlowAction, RailFlow, RailManifest } from "../rail-manifest.js";

/** A flow of a rail that asks a service. */
interface ServiceFlow
  extends
    Pick<RailFlow, "name" | "needsEvidence" | "stream" | "readsImages">,
    Pick<FlowAction, "refusal" | "exception" | "cases" | "parameters" | "onRequest"> {
  readonly stage: "input" | "output" | "retrieval";
  /**
   * Work of the flow. `check`: it blocks or lets pass; `mask`: it rewrites; `guard`: it blocks or rewrites. Default: `check`.
   */
  readonly does?: "check" | "mask" | "guard";
  /** Name of the question, where the flows of a rail ask different ones. */
  readonly ask?: string;
}

interface ServiceManifest extends Pick<
  RailManifest,
  "name" | "title" | "summary" | "load" | "seesImages" | "verdictsBy"
> {
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
  const { name, title, summary, flows, environment = [], load, seesImages, verdictsBy } = options;
  const noun = name.replaceAll("-", "_");
  const works = [...new Set(flows.map(workOf))];
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
    actions: works.map((work) => ({
      name: `${work}_${noun}`,
      parameters: ["source", "text", "ask", ...parameters, "variant"],
      verdict: work === "check" || work === "sort",
    })),
    ...omitUndefined({ seesImages, verdictsBy }),
    load,
  };
}

/** The work of a flow, which begins the name of its action. `sort`: its blocks differ by case. */
function workOf({ cases, does = "check" }: ServiceFlow): string {
  return cases === undefined ? does : "sort";
}

function railFlow(flow: ServiceFlow, noun: string): RailFlow {
  const { name, stage, does = "check", ask, needsEvidence, readsImages } = flow;
  const { refusal, exception, cases, parameters, onRequest } = flow;
  const stream = flow.stream ?? (does === "check" && needsEvidence !== true ? undefined : "answer");
  const runs = {
    action: `${workOf(flow)}_${noun}`,
    ...omitUndefined({ refusal, exception, cases, parameters, onRequest }),
    ...(ask === undefined ? {} : { arguments: { ask } }),
    ...(does === "guard" ? { blocks: true as const } : {}),
  };
  return {
    ...omitUndefined({ name, stage, stream, needsEvidence, readsImages }),
    ...(does === "check" ? {} : { rewrites: true }),
    runs,
  };
}

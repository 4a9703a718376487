import { omitUndefined } from "../../engine/plain-data.js";
import type { FlowAction, RailFlow, RailManifest } from "../rail-manifest.js";

/** A flow of a service rail. */
interface ServiceFlow
  extends
    Pick<RailFlow, "name" | "needsEvidence" | "stream" | "readsImages">,
    Pick<FlowAction, "refusal" | "exception" | "cases" | "parameters" | "onRequest"> {
  readonly stage: "input" | "output" | "retrieval";
  /**
   * Effect of the flow. `check` blocks or passes a text, `mask` rewrites it, `guard` blocks or rewrites it. Default: `check`.
   */
  readonly does?: "check" | "mask" | "guard";
  /** Name of the question, if the flows of a rail ask different questions. */
  readonly ask?: string;
}

interface ServiceManifest extends Pick<
  RailManifest,
  "name" | "title" | "summary" | "load" | "seesImages" | "verdictsBy"
> {
  readonly flows: readonly ServiceFlow[];
  /** Key of the settings in `rails.config`; default: the name with underscores. */
  readonly settings?: string;
  /** Environment variables with the key and the address of the service. */
  readonly environment?: readonly string[];
  /** Data that leave the process, and their receiver; default: the checked text, to the service. */
  readonly leaves?: string;
}

/**
 * Returns the manifest of a rail that calls a service over HTTP; `serviceCode` returns its code.
 *
 * @example
 * ```ts
 * export const pangea = serviceManifest({
 *   name: "pangea",
 *   title: "Pangea AI Guard",
 *   summary: "Blocks or rewrites texts according to a recipe of Pangea.",
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

/** Returns the effect of a flow, the prefix of its action's name. `sort` distinguishes kinds of blocks. */
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

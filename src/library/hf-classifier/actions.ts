import { ABORT_SOURCE } from "../../actions/abort-source.js";
import type { OnError } from "../../diagnostics/errors.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { andThen, type MaybePromise } from "../../engine/async.js";
import { readOwn } from "../../engine/plain-data.js";
import type { ConnectTools } from "../http/connect-tools.js";
import { Reply, ReplyError } from "../http/reply.js";
import { type Connection, sendRequest, serviceError, type ServiceRequest } from "../http/send-request.js";
import { serviceCode } from "../http/service-code.js";
import type { PrepareTools, RailCode, RailSettings } from "../rail-manifest.js";
import { certificateDispatcher, type Certificates } from "./certificates.js";

/** `rails.config.hf_classifier.<name>`, with defaults filled in. */
interface ClassifierSettings {
  readonly engine: "local" | "vllm" | "kserve" | "fms";
  readonly model: string;
  readonly task: string;
  readonly threshold: number;
  readonly blocked_labels: readonly string[];
  readonly base_url: string | null;
  readonly api_key_env_var: string | null;
  readonly retries: number;
  readonly on_error: OnError | null;
  readonly parameters: Certificates & { readonly timeout: number };
}

/** A classifier with its address and key. */
interface Classifier {
  readonly settings: ClassifierSettings;
  readonly url: string;
  readonly connection: Omit<Connection, "action">;
}

/** A label with its score. */
interface Label {
  readonly label: string;
  readonly score: number;
}

/** Protocol of an engine: its request, and the labels in its response. */
interface Engine {
  readonly path: (settings: ClassifierSettings) => string;
  readonly body: (text: string, settings: ClassifierSettings) => unknown;
  readonly labels: (reply: Reply) => readonly Label[];
}

const ENGINES: Readonly<Record<Exclude<ClassifierSettings["engine"], "local">, Engine>> = {
  vllm: {
    path: () => "/classify",
    body: (input, { model }) => ({ model, input }),
    labels: (reply) => {
      const result = only(reply.at("data"));
      const [first, ...others] = result.at("probs").items();
      if (first === undefined) return result.at("probs").fail("a list of probabilities");
      return [
        { label: result.at("label").text(), score: Math.max(...[first, ...others].map((score) => score.ratio())) },
      ];
    },
  },
  kserve: {
    path: ({ model }) => `/v1/models/${encodeURIComponent(model)}:predict`,
    body: (text) => ({ instances: [text] }),
    labels: (reply) => predictions(only(reply.at("predictions"))),
  },
  fms: {
    path: () => "/api/v1/text/contents",
    body: (text, { threshold }) => ({ contents: [text], detector_params: { threshold } }),
    labels: (reply) =>
      only(reply)
        .items()
        .map((found) => ({ label: found.at("detection_type").text(), score: found.at("score").ratio() })),
  },
};

/** Returns the only item of a list, since one text was sent. */
function only(list: Reply): Reply {
  const [item, ...others] = list.items();
  return item === undefined || others.length > 0 ? list.fail("a list with one result") : item;
}

/** Reads probabilities by class, the number of a class, or the number of a class for each token (0 for none). */
function predictions(prediction: Reply): readonly Label[] {
  const { value } = prediction;
  if (typeof value === "number") return [{ label: String(classOf(prediction)), score: 1 }];
  if (!Array.isArray(value)) return prediction.entries().map(([label, score]) => ({ label, score: score.ratio() }));
  const found = new Set<number>();
  const waiting = [prediction];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (Array.isArray(next.value)) waiting.push(...next.items());
    else found.add(classOf(next));
  }
  found.delete(0);
  return [...found].map((label) => ({ label: String(label), score: 1 }));
}

function classOf(prediction: Reply): number {
  const value = prediction.number();
  return Number.isInteger(value) && value >= 0 ? value : prediction.fail("the number of a class");
}

type Classifiers = ReadonlyMap<string, Classifier>;

const code = serviceCode<{ readonly classifiers: Classifiers; readonly secrets: readonly string[] }>({
  rail: "hf-classifier",
  title: "the classifier",
  connect: ({ classifiers, secrets }) => ({ url: "", secrets, prepared: classifiers }),
  async ask({ text, parameters, prepared, context }) {
    // Without classifiers the rail has nothing to prepare.
    const classifier = (prepared as Classifiers).get(String(parameters["classifier"]));
    if (classifier === undefined) throw new TypeError("the reference of the rail names no classifier");
    const { settings, url, connection } = classifier;
    if (settings.engine === "local") throw new TypeError("the classifier has no service");
    const engine = ENGINES[settings.engine];
    const request: ServiceRequest = { url: url + engine.path(settings), body: engine.body(text, settings) };
    const asked = { ...connection, action: "check_hf_classifier" };
    const reply = new Reply(await sendRequest(asked, request, context[ABORT_SOURCE] ?? context.signal));
    const labels = readLabels(() => engine.labels(reply), asked);
    const { threshold, blocked_labels: refused } = settings;
    const blocking = labels.filter(({ label, score }) => refused.includes(label) && score >= threshold);
    const scores = labels.filter(({ label }) => refused.includes(label)).map(({ score }) => score);
    return {
      blocked: blocking.length > 0,
      text: blocking.length > 0 ? "" : text,
      categories: blocking.map(({ label }) => label),
      ...(scores.length === 0 ? {} : { score: Math.max(...scores) }),
      threshold,
      reason: blocking.length > 0 ? "the classifier found a label that blocks" : "the classifier found nothing",
    };
  },
});

/** Reads the labels. A response that is not valid follows the error policy of the classifier, not that of all rails. */
function readLabels(read: () => readonly Label[], connection: Parameters<typeof serviceError>[0]): readonly Label[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof ReplyError) throw serviceError(connection, `its response is not valid: ${error.message}`);
    throw error;
  }
}

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  ...code.actions,
  /** Returns the chunks that pass the classifier; an empty text if none is left. */
  mask_hf_classifier: (params, context) =>
    andThen(code.actions["mask_hf_classifier"]?.(params, context) as MaybePromise<unknown>, (left) => {
      const kept = Array.isArray(left) ? left.filter((chunk) => chunk !== "") : left;
      return Array.isArray(kept) && kept.length === 0 ? "" : kept;
    }),
};

/** Reads the classifiers of the settings, and checks those that the configuration lists. */
export async function prepare(settings: RailSettings, tools: PrepareTools): Promise<unknown> {
  const secrets: string[] = [];
  const classifiers = new Map<string, Classifier>();
  const { ConnectTools } = await import("../http/connect-tools.js");
  const classifierTools = new ConnectTools(tools, "the classifier");
  checkReferences(settings, classifierTools);
  for (const [name, given] of Object.entries(settings)) {
    const classifier = await connectTo(name, given as ClassifierSettings, classifierTools, secrets);
    if (classifier !== undefined) classifiers.set(name, classifier);
  }
  return code.prepare({ classifiers, secrets }, tools);
}

/** INVARIANT: each listed flow names a classifier. */
function checkReferences(settings: RailSettings, tools: ConnectTools): void {
  const names = Object.keys(settings);
  for (const { name, parameters } of tools.listed) {
    const wanted = parameters.find((parameter) => parameter.name === "classifier")?.value ?? undefined;
    if (wanted !== undefined && readOwn(settings, wanted) !== undefined) continue;
    const message = wanted === undefined ? `\`${name}\` names no classifier` : `there is no classifier \`${wanted}\``;
    const near = wanted === undefined ? undefined : didYouMean(wanted, names);
    const hint = near ?? `write \`${name} $classifier=<name>\`, with a name below \`rails.config.hf_classifier\``;
    tools.report({ code: "CF-105", path: [], message, hint });
  }
}

async function connectTo(
  name: string,
  settings: ClassifierSettings,
  tools: ConnectTools,
  secrets: string[],
): Promise<Classifier | undefined> {
  const { engine, base_url: base, blocked_labels: labels, api_key_env_var: variable, parameters, retries } = settings;
  if (engine === "local") {
    const message = "a classifier cannot run in this process";
    const hint = "serve the model with vLLM, KServe or FMS, and set `engine` and `base_url`";
    tools.report({ path: [name, "engine"], message, hint });
    return undefined;
  }
  const tasks = engine === "vllm" ? ["text-classification"] : ["text-classification", "token-classification"];
  if (!tasks.includes(settings.task)) {
    const message = `\`${engine}\` has no task \`${settings.task}\``;
    tools.report({ path: [name, "task"], message, hint: `the tasks are ${tasks.join(" and ")}` });
  }
  if (labels.length === 0) {
    const hint = "name the labels of the model that block";
    tools.report({ code: "CF-105", path: [name, "blocked_labels"], message: "no label blocks", hint });
  }
  const url = tools.address(base, [name, "base_url"], "set `base_url` to the address of the server");
  const key = variable === null ? undefined : tools.key(variable, [name, "api_key_env_var"]);
  if (key !== undefined) secrets.push(key);
  const dispatcher = await certificateDispatcher(parameters, (problem) =>
    tools.report({ ...problem, path: [name, "parameters", ...problem.path] }),
  );
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const onError = settings.on_error ?? undefined;
  const service = `the classifier \`${name}\``;
  const connection = { service, headers, timeoutMs: parameters.timeout * 1000, retries, onError, dispatcher };
  return { settings, url, connection };
}

import { isMap } from "../../engine/plain-data.js";
import { serviceCode } from "../http/service-code.js";

interface PatronusSettings {
  readonly server_endpoint: string | null;
  readonly output: {
    readonly evaluate_config: {
      readonly success_strategy: "all_pass" | "any_pass";
      readonly params: Readonly<Record<string, unknown>>;
    };
  };
}

const PARAMS = ["output", "evaluate_config", "params"];

export const { actions, prepare } = serviceCode<PatronusSettings>({
  rail: "patronus",
  title: "Patronus",
  connect({ server_endpoint: endpoint, output }, tools) {
    const key = tools.key("PATRONUS_API_KEY");
    const { evaluators } = output.evaluate_config.params;
    const isList = Array.isArray(evaluators) && evaluators.length > 0;
    if (!isList || !evaluators.every((evaluator) => isMap(evaluator) && typeof evaluator["evaluator"] === "string")) {
      const message = "the rail has no list of `evaluators` with an `evaluator` each";
      tools.report({ code: "CF-105", path: PARAMS, message, hint: "write `evaluators: [{ evaluator: lynx }]`" });
    }
    const url = tools.address(endpoint, ["server_endpoint"], "leave it out for the default");
    return { url, headers: { "x-api-key": key }, secrets: [key] };
  },
  async ask({ text, userMessage, evidence, settings, post }) {
    const { params, success_strategy: strategy } = settings.output.evaluate_config;
    const reply = await post("", {
      ...params,
      evaluated_model_input: userMessage,
      evaluated_model_output: text,
      evaluated_model_retrieved_context: evidence.length === 0 ? null : evidence,
    });
    const results = reply.at("results").items();
    const { evaluators } = params;
    const least = Array.isArray(evaluators) ? evaluators.length : 1;
    if (results.length < least) return reply.at("results").fail("a list with a result of each evaluator");
    const passed = results.map((result) => result.at("evaluation_result", "pass").flag());
    const blocked = strategy === "any_pass" ? !passed.includes(true) : passed.includes(false);
    const failed = passed.filter((isPassed) => !isPassed).length;
    return { blocked, reason: `${failed} of ${passed.length} evaluators failed` };
  },
});

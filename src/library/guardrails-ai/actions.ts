import { didYouMean } from "../../diagnostics/suggestion.js";
import type { ConnectTools } from "../http/connect-tools.js";
import type { Reply } from "../http/reply.js";
import { serviceCode } from "../http/service-code.js";

interface Validator {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface Validators {
  readonly validators: readonly Validator[];
}

interface GuardrailsAiSettings extends Validators {
  readonly server_endpoint: string | null;
  readonly api_key_env_var: string | null;
  readonly input: Validators;
  readonly output: Validators;
}

type Side = "input" | "output";

export const { actions, prepare } = serviceCode<GuardrailsAiSettings>({
  rail: "guardrails-ai",
  title: "Guardrails AI",
  connect(settings, tools) {
    checkValidators(settings, tools);
    const { server_endpoint: endpoint, api_key_env_var: name } = settings;
    const hint = "start a server with `guardrails start`, and set `server_endpoint` to its address";
    const url = tools.address(endpoint, ["server_endpoint"], hint);
    if (name === null) return { url };
    const key = tools.namedKey(name, ["api_key_env_var"]);
    return { url, headers: { authorization: `Bearer ${key}` }, secrets: [key] };
  },
  async ask({ text, source, settings, parameters, post }) {
    const failed: string[] = [];
    const { validator } = parameters;
    for (const { name, metadata } of validatorsOf(settings, source === "output" ? "output" : "input", validator)) {
      const body = { llmOutput: text, ...(Object.keys(metadata).length === 0 ? {} : { metadata }) };
      const reply = await post(`/guards/${encodeURIComponent(name)}/validate`, body);
      if (!hasPassed(reply)) failed.push(name);
    }
    const blocked = failed.length > 0;
    return { blocked, categories: failed, reason: blocked ? "the text is not valid" : "the text is valid" };
  },
});

/** Reads a field that servers spell in one of two ways. */
function hasPassed(reply: Reply): boolean {
  const [camel, snake] = [reply.at("validationPassed"), reply.at("validation_passed")];
  const passed = (camel.optional ?? snake).flag();
  if (!camel.isMissing && !snake.isMissing && snake.flag() !== passed)
    return snake.fail("the same as `validationPassed`");
  return passed;
}

/** Returns the validators of one side: the named one, or all. */
function validatorsOf(settings: GuardrailsAiSettings, side: Side, name: unknown): readonly Validator[] {
  const all = [...settings[side].validators, ...settings.validators];
  const found = all.filter((validator, index) => all.findIndex((other) => other.name === validator.name) === index);
  return name === undefined || name === null ? found : found.filter((validator) => validator.name === name);
}

function checkValidators(settings: GuardrailsAiSettings, tools: ConnectTools): void {
  for (const [index, { parameters }] of settings.validators.entries()) {
    checkParameters(parameters, ["validators", index, "parameters"], tools);
  }
  for (const { stage, parameters } of tools.listed) {
    const side = stage === "output" ? "output" : "input";
    const name = parameters.find((parameter) => parameter.name === "validator")?.value;
    if (validatorsOf(settings, side, name).length > 0) continue;
    const names = validatorsOf(settings, side, undefined).map((validator) => validator.name);
    const message = name === undefined ? "the rail has no validators" : `there is no validator \`${name}\``;
    const hint =
      (name == null ? undefined : didYouMean(name, names)) ?? "name the guards of the server under `validators`";
    tools.report({ code: "CF-105", path: ["validators"], message, hint });
  }
  for (const side of ["input", "output"] as const) {
    for (const [index, { parameters }] of settings[side].validators.entries()) {
      checkParameters(parameters, [side, "validators", index, "parameters"], tools);
    }
  }
}

/** INVARIANT: a setting that the request cannot contain is an error and never ignored. */
function checkParameters(parameters: object, path: readonly (string | number)[], tools: ConnectTools): void {
  if (Object.keys(parameters).length === 0) return;
  const message = "parameters of a validator belong to the guard of that name on the server";
  tools.report({ path, message, hint: "move them to the guard, and remove them here" });
}

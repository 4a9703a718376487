import type { Reply } from "../http/reply.js";
import { serviceCode } from "../http/service-code.js";

interface ClavataSettings {
  readonly server_endpoint: string | null;
  readonly policies: Readonly<Record<string, string>>;
  readonly label_match_logic: "ANY" | "ALL";
  readonly input: SideSettings;
  readonly output: SideSettings;
}

interface SideSettings {
  readonly policy: string | null;
  readonly labels: readonly string[];
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const { actions, prepare } = serviceCode<ClavataSettings>({
  rail: "clavata",
  title: "Clavata",
  connect(settings, tools) {
    const key = tools.key("CLAVATA_API_KEY");
    for (const side of ["input", "output"] as const) {
      if (!tools.reads(side) || policyOf(settings, side) !== undefined) continue;
      const hint = `set \`rails.config.clavata.${side}.policy\` to an id, or to an alias of \`policies\``;
      tools.report({ code: "CF-105", path: [side, "policy"], message: "the rail has no policy to check", hint });
    }
    const url = tools.address(settings.server_endpoint, ["server_endpoint"], "leave it out for the default");
    return { url, headers: { authorization: `Bearer ${key}` }, secrets: [key] };
  },
  async ask({ text, source, settings, post }) {
    const side = source === "output" ? "output" : "input";
    const body = { content_data: [{ text }], policy_id: policyOf(settings, side), wait_for_completion: true };
    const job = (await post("/v1/jobs", body)).at("job");
    job.at("status").oneOf("JOB_STATUS_COMPLETED");
    const [result, ...others] = job.at("results").items();
    if (result === undefined || others.length > 0) return job.at("results").fail("one result");
    const report = result.at("report");
    const isMatch = isTrue(report.at("result"));
    const labels = report.at("sectionEvaluationReports").items();
    const found = labels.filter((entry) => isTrue(entry.at("result"))).map((entry) => entry.at("name").text());
    const wanted = settings[side].labels;
    const isWanted = (label: string): boolean => found.includes(label);
    const all = settings.label_match_logic === "ALL";
    const blocked = wanted.length === 0 ? isMatch : all ? wanted.every(isWanted) : wanted.some(isWanted);
    return {
      blocked,
      categories: found,
      reason: blocked ? "the text matches the policy" : "the text matches no policy",
    };
  },
});

function isTrue(outcome: Reply): boolean {
  return outcome.oneOf("OUTCOME_TRUE", "OUTCOME_FALSE") === "OUTCOME_TRUE";
}

/** Returns the id of a side's policy; the setting contains an alias or the id. */
function policyOf({ policies, ...sides }: ClavataSettings, side: "input" | "output"): string | undefined {
  const { policy } = sides[side];
  if (policy === null) return undefined;
  return Object.hasOwn(policies, policy) ? policies[policy] : UUID.test(policy) ? policy : undefined;
}

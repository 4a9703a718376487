import { hasBase62Checksum } from "../checksums.js";
import type { KeyFormat } from "../key-format.js";

/** Keys of code hosts, package registries and build services. */
export const CODE_HOSTS: readonly KeyFormat[] = [
  // Classic, OAuth, user-to-server, server-to-server and refresh tokens share one form and one check sum.
  {
    name: "github-token",
    triggers: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    pattern: "gh[pousr]_[0-9A-Za-z]{36}",
    isValid: hasBase62Checksum,
    score: 1,
  },
  {
    name: "github-fine-grained-token",

    pattern: "github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{59}",
  },
  // Routable tokens carry their cell after a dot.
  {
    name: "gitlab-token",
    triggers: [
      "glpat-",
      "gldt-",
      "glrt-",
      "glrtr-",
      "glptt-",
      "glcbt-",
      "glsoat-",
      "glft-",
      "glimt-",
      "glagent-",
      "gloas-",
      "glffct-",
      "glwt-",
    ],
    pattern:
      "gl(?:pat|dt|rtr?|ptt|cbt|soat|ft|imt|agent|oas|ffct|wt)-(?:[0-9A-Za-z_-]{20,300}\\.[0-9a-z]{2}[0-9a-z.]{7,11}|[0-9A-Za-z_-]{20,64}|[0-9A-Za-z]{1,5}_[0-9A-Za-z_-]{20,64})",
    reach: 330,
  },
  { name: "gitlab-runner-registration", pattern: "GR1348941[0-9A-Za-z_-]{20}" },
  { name: "bitbucket-app-password", pattern: "ATBB[0-9A-Za-z]{24}[0-9A-F]{8}" },
  {
    name: "npm-token",

    pattern: "npm_[0-9A-Za-z]{36}",
    isValid: hasBase62Checksum,
    score: 1,
  },
  {
    name: "pypi-token",
    triggers: ["pypi-ageichlwas5vcmc", "pypi-agendgvzdc5wexbplm9yzw"],
    pattern: "pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)[\\w-]{50,1000}",
    reach: 1030,
  },
  { name: "rubygems-key", pattern: "rubygems_[0-9a-f]{48}" },
  { name: "nuget-key", pattern: "oy2[0-9a-z]{43}" },
  { name: "crates-token", pattern: "cio[0-9A-Za-z]{32}" },
  { name: "clojars-token", pattern: "CLOJARS_[0-9a-zA-Z]{60}" },
  { name: "docker-hub-token", triggers: ["dckr_pat_", "dckr_oat_"], pattern: "dckr_[po]at_[0-9A-Za-z_-]{27,56}" },
  { name: "artifactory-key", pattern: "AKCp[0-9A-Za-z]{60,75}" },
  { name: "artifactory-reference-token", pattern: "cmVmdGtu[0-9A-Za-z]{56}" },
  { name: "sonarqube-token", triggers: ["squ_", "sqp_", "sqa_"], pattern: "sq[upa]_[0-9a-f]{40}" },
  { name: "sourcegraph-token", pattern: "sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}" },
  { name: "circleci-token", triggers: ["ccipat_", "ccipprj_"], pattern: "CCIP(?:AT|PRJ)_[0-9A-Za-z]{22}_[0-9a-f]{40}" },
  { name: "buildkite-token", triggers: ["bkua_", "bkaa_", "bkat_"], pattern: "bk(?:ua|aa|at)_[0-9A-Za-z]{40}" },
  {
    name: "terraform-token",
    triggers: [".atlasv1."],
    before: 14,
    pattern: "[0-9A-Za-z]{14}\\.atlasv1\\.[0-9A-Za-z=_-]{60,70}",
  },
  { name: "pulumi-token", pattern: "pul-[0-9a-f]{40}" },
  { name: "octopus-deploy-key", pattern: "API-[0-9A-Z]{26}" },
  { name: "prefect-key", triggers: ["pnu_", "pnb_"], pattern: "pn[ub]_[0-9A-Za-z]{36}" },
  { name: "readme-key", pattern: "rdme_[0-9a-z]{70}" },
  { name: "expo-token", pattern: "expo_[0-9A-Za-z]{40}" },
  { name: "postman-key", pattern: "PMAK-[0-9a-f]{24}-[0-9a-f]{34}" },
  { name: "github-refresh-token", pattern: "ghr_[0-9A-Za-z]{76}" },
  { name: "gitlab-session", pattern: "_gitlab_session=[0-9a-f]{32}" },
  {
    name: "snyk-api-token",
    triggers: ["snyk_uat.", "snyk_sat."],
    pattern: "snyk_[us]at\\.[0-9a-f]{8}\\.[0-9A-Za-z_-]{20,200}\\.[0-9A-Za-z_-]{20,120}",
    reach: 350,
  },
  { name: "endor-key", triggers: ["endr+"], pattern: "endr\\+[0-9A-Za-z-]{16}" },
  {
    name: "harness-token",
    triggers: ["pat.", "sat."],
    pattern: "[ps]at\\.[0-9A-Za-z_-]{22}\\.[0-9a-f]{24}\\.[0-9A-Za-z]{20}",
  },
  { name: "infracost-key", pattern: "ico-[0-9A-Za-z]{32}" },
  {
    name: "depot-token",
    triggers: ["depot_project_", "depot_org_", "depot_user_"],
    pattern: "depot_(?:project|org|user)_[0-9a-f]{64}",
  },
  {
    name: "trigger-dev-key",
    triggers: ["tr_dev_", "tr_prod_", "tr_stg_"],
    pattern: "tr_(?:dev|prod|stg)_[0-9A-Za-z]{20,24}",
  },
  { name: "checkly-key", pattern: "cu_[0-9a-f]{32}" },
  { name: "wakatime-key", pattern: "waka_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}" },
  { name: "val-town-token", pattern: "vtwn_[0-9A-Za-z]{28}" },
];

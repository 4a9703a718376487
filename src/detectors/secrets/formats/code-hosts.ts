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
    triggers: ["github_pat_"],
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
      "gl(?:pat|dt|rtr?|ptt|cbt|soat|ft|imt|agent|oas|ffct|wt)-(?:[0-9A-Za-z_-]{20,300}\\.[0-9a-z]{2}[0-9a-z.]{7,9}|[0-9A-Za-z_-]{20,64}|[0-9A-Za-z]{1,5}_[0-9A-Za-z_-]{20,64})",
    reach: 330,
  },
  { name: "gitlab-runner-registration", triggers: ["gr1348941"], pattern: "GR1348941[0-9A-Za-z_-]{20}" },
  { name: "bitbucket-app-password", triggers: ["atbb"], pattern: "ATBB[0-9A-Za-z]{24}[0-9A-F]{8}" },
  {
    name: "npm-token",
    triggers: ["npm_"],
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
  { name: "rubygems-key", triggers: ["rubygems_"], pattern: "rubygems_[0-9a-f]{48}" },
  { name: "nuget-key", triggers: ["oy2"], pattern: "oy2[0-9a-z]{43}" },
  { name: "crates-token", triggers: ["cio"], pattern: "cio[0-9A-Za-z]{32}" },
  { name: "clojars-token", triggers: ["clojars_"], pattern: "CLOJARS_[0-9a-zA-Z]{60}" },
  { name: "docker-hub-token", triggers: ["dckr_pat_", "dckr_oat_"], pattern: "dckr_[po]at_[0-9A-Za-z_-]{27,56}" },
  { name: "artifactory-key", triggers: ["akcp"], pattern: "AKCp[0-9A-Za-z]{60,75}" },
  { name: "artifactory-reference-token", triggers: ["cmvmdgtu"], pattern: "cmVmdGtu[0-9A-Za-z]{56}" },
  { name: "sonarqube-token", triggers: ["squ_", "sqp_", "sqa_"], pattern: "sq[upa]_[0-9a-f]{40}" },
  { name: "sourcegraph-token", triggers: ["sgp_"], pattern: "sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}" },
  { name: "circleci-token", triggers: ["ccipat_", "ccipprj_"], pattern: "CCIP(?:AT|PRJ)_[0-9A-Za-z]{22}_[0-9a-f]{40}" },
  { name: "buildkite-token", triggers: ["bkua_", "bkaa_", "bkat_"], pattern: "bk(?:ua|aa|at)_[0-9A-Za-z]{40}" },
  {
    name: "terraform-token",
    triggers: [".atlasv1."],
    before: 14,
    pattern: "[0-9A-Za-z]{14}\\.atlasv1\\.[0-9A-Za-z=_-]{60,70}",
  },
  { name: "pulumi-token", triggers: ["pul-"], pattern: "pul-[0-9a-f]{40}" },
  { name: "octopus-deploy-key", triggers: ["api-"], pattern: "API-[0-9A-Z]{26}" },
  { name: "prefect-key", triggers: ["pnu_", "pnb_"], pattern: "pn[ub]_[0-9A-Za-z]{36}" },
  { name: "readme-key", triggers: ["rdme_"], pattern: "rdme_[0-9a-z]{70}" },
  { name: "expo-token", triggers: ["expo_"], pattern: "expo_[0-9A-Za-z]{40}" },
  { name: "postman-key", triggers: ["pmak-"], pattern: "PMAK-[0-9a-f]{24}-[0-9a-f]{34}" },
];

import { comparison, condition, exists, sum } from "./conditions.js";
import { analyse, caseWhen, clause, fromWhere, intoFile, query, unionSelect } from "./queries.js";
import { call, commentEnd, stacked, statement, waitFor } from "./statements.js";
import type { Construct } from "./construct.js";
import { KIND } from "./keywords.js";

/** Constructs by the kind of the token at which they are tried. */
export const CONSTRUCTS: Readonly<Partial<Record<number, readonly Construct[]>>> = {
  [KIND.union]: [unionSelect],
  [KIND.logical]: [condition],
  [KIND.wordOperator]: [condition],
  [KIND.arithmetic]: [sum],
  [KIND.from]: [fromWhere],
  [KIND.any]: [exists],
  [KIND.statement]: [statement],
  [KIND.semicolon]: [stacked],
  [KIND.comment]: [commentEnd],
  [KIND.select]: [query],
  [KIND.orderOrGroup]: [clause],
  [KIND.having]: [clause],
  [KIND.into]: [intoFile],
  [KIND.waitfor]: [waitFor],
  [KIND.procedure]: [analyse],
  [KIND.case]: [caseWhen],
  [KIND.sqlFunction]: [call],
  [KIND.condition]: [call],
  [KIND.comparison]: [comparison],
};

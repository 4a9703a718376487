import type { ParseStatement } from "./line-parser.js";

/** return = "return" [ expr { "," expr } ] */
export const parseReturn: ParseStatement = ({ parser, base }) => {
  const ranges = parser.isDone() ? [] : parser.splitAtCommas(parser.rest());
  const values = ranges.flatMap((range) => parser.expression(range) ?? []);
  return [{ kind: "Return", values, ...base }];
};

/** done = "done" */
export const parseDone: ParseStatement = ({ parser, base }) => {
  parser.expectEnd("`done`", "write `return <value>`");
  return [{ kind: "Return", values: [], ...base }];
};

/** stop = "stop" | "abort"; pass = "pass"; break = "break"; continue = "continue" */
export function parsePlain(kind: "Break" | "Continue" | "Pass" | "Stop"): ParseStatement {
  return ({ parser, word, scope, base }) => {
    parser.expectEnd(`\`${word.text}\``);
    if ((kind === "Break" || kind === "Continue") && !scope.isInLoop) {
      const hint = "leave a flow with `return`, end the turn with `stop`";
      parser.report("CO-119", `\`${word.text}\` outside a loop`, word, hint);
    }
    if (kind === "Pass" && scope.isInLoop) {
      const hint = "write `continue` to go on with the next round; `pass` does nothing";
      parser.report("CO-317", "`pass` inside a loop does not go on with the next round", word, hint);
    }
    return [{ kind, ...base }];
  };
}

/** label = ("label" | "checkpoint") NAME; goto = ("goto" | "go" "to") NAME */
export function parseLabelOrGoto(kind: "Label" | "Goto"): ParseStatement {
  return ({ parser, word, base }) => {
    if (word.text === "go" && !parser.skipWord("to")) {
      parser.report("CO-110", "expected `to` after `go`", word, "write `goto <label>`");
      return [];
    }
    if (parser.isDone()) {
      parser.report("CO-110", `expected a name after \`${word.text}\``, word);
      return [];
    }
    const name = parser.name(parser.rest());
    parser.at = parser.end;
    return [{ kind, name, ...base }];
  };
}

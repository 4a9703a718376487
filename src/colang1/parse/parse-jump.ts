import { expectEnd } from "./parse-parameters.js";
import { splitAtCommas } from "./scan-text.js";
import type { ParseStatement } from "./statement-input.js";

/** return = "return" [ expr { "," expr } ] */
export const parseReturn: ParseStatement = ({ context, cursor, base }) => {
  const ranges = cursor.isDone() ? [] : splitAtCommas(cursor, cursor.rest());
  const values = ranges.flatMap((range) => context.expression(range) ?? []);
  return [{ kind: "Return", values, ...base }];
};

/** done = "done" */
export const parseDone: ParseStatement = ({ context, cursor, base }) => {
  expectEnd(context, cursor, "`done`", "write `return <value>`");
  return [{ kind: "Return", values: [], ...base }];
};

/** stop = "stop" | "abort"; pass = "pass"; break = "break"; continue = "continue" */
export function parsePlain(kind: "Break" | "Continue" | "Pass" | "Stop"): ParseStatement {
  return ({ context, cursor, word, scope, base }) => {
    expectEnd(context, cursor, `\`${word.text}\``);
    if ((kind === "Break" || kind === "Continue") && !scope.isInLoop) {
      const hint = "leave a flow with `return`, end the turn with `stop`";
      context.report("CO-119", `\`${word.text}\` outside a loop`, word, hint);
    }
    if (kind === "Pass" && scope.isInLoop) {
      const hint = "write `continue` to go on with the next round; `pass` does nothing";
      context.report("CO-317", "`pass` inside a loop does not go on with the next round", word, hint);
    }
    return [{ kind, ...base }];
  };
}

/** label = ("label" | "checkpoint") NAME; goto = ("goto" | "go" "to") NAME */
export function parseLabelOrGoto(kind: "Label" | "Goto"): ParseStatement {
  return ({ context, cursor, word, base }) => {
    if (word.text === "go" && !cursor.skipWord("to")) {
      context.report("CO-110", "expected `to` after `go`", word, "write `goto <label>`");
      return [];
    }
    if (cursor.isDone()) {
      context.report("CO-110", `expected a name after \`${word.text}\``, word);
      return [];
    }
    const name = context.name(cursor, cursor.rest());
    cursor.at = cursor.end;
    return [{ kind, name, ...base }];
  };
}

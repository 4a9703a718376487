// Finds the positions of a source where a change makes a mutant, and writes a source that contains many of them, each
// with a switch: `(globalThis.mutant?.(17) ? changed : original)`. One compilation then serves every mutant.
import ts from "typescript";

const COMPARISONS = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, ts.SyntaxKind.EqualsEqualsEqualsToken],
  [ts.SyntaxKind.LessThanToken, ts.SyntaxKind.LessThanEqualsToken],
  [ts.SyntaxKind.LessThanEqualsToken, ts.SyntaxKind.LessThanToken],
  [ts.SyntaxKind.GreaterThanToken, ts.SyntaxKind.GreaterThanEqualsToken],
  [ts.SyntaxKind.GreaterThanEqualsToken, ts.SyntaxKind.GreaterThanToken],
  [ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken],
  [ts.SyntaxKind.BarBarToken, ts.SyntaxKind.AmpersandAmpersandToken],
  [ts.SyntaxKind.MinusToken, ts.SyntaxKind.PlusToken],
]);
const { factory } = ts;

/** Mutants of a node: what changed, and the changed node. Statements are removed when they change to nothing. */
function mutantsOf(node) {
  if (ts.isBinaryExpression(node)) return binaryMutants(node);
  if (isCondition(node))
    return [["negated condition", factory.createLogicalNot(factory.createParenthesizedExpression(node))]];
  if (ts.isNumericLiteral(node)) return [["number + 1", factory.createNumericLiteral(Number(node.text) + 1)]];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [["true to false", factory.createFalse()]];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [["false to true", factory.createTrue()]];
  if (ts.isStringLiteral(node) && node.text !== "") return [["empty string", factory.createStringLiteral("")]];
  if (ts.isSpreadAssignment(node)) return [["removed spread", undefined]];
  if (ts.isSpreadElement(node) && ts.isArrayLiteralExpression(node.parent)) return [["removed spread", undefined]];
  if (isRemovable(node)) return [[`removed ${ts.SyntaxKind[node.kind]}`, undefined]];
  return [];
}

function binaryMutants(node) {
  const { left, right, operatorToken } = node;
  const other = COMPARISONS.get(operatorToken.kind);
  const changed =
    other === undefined
      ? []
      : [
          [
            `${operatorToken.getText()} to ${ts.tokenToString(other)}`,
            factory.createBinaryExpression(left, other, right),
          ],
        ];
  const isMixed = operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken;
  // `a && b ?? c` needs parentheses, which the printer does not add to created nodes.
  if (isMixed) return [["?? to its left side", left]];
  return isCondition(node)
    ? [...changed, ["negated condition", factory.createLogicalNot(factory.createParenthesizedExpression(node))]]
    : changed;
}

function isCondition(node) {
  const { parent } = node;
  if (parent === undefined) return false;
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent)) return parent.expression === node;
  if (ts.isForStatement(parent) || ts.isConditionalExpression(parent)) return parent.condition === node;
  return false;
}

function isRemovable(node) {
  if (ts.isReturnStatement(node)) return !isLastOfFunction(node);
  if (ts.isContinueStatement(node) || ts.isBreakStatement(node)) return !ts.isCaseOrDefaultClause(node.parent);
  if (ts.isThrowStatement(node)) return true;
  if (!ts.isExpressionStatement(node)) return false;
  return !node.expression.getText().startsWith("super") && !ts.isStringLiteral(node.expression);
}

/** Every test detects mutants of a last return. */
function isLastOfFunction(node) {
  const { parent } = node;
  return ts.isBlock(parent) && ts.isFunctionLike(parent.parent) && parent.statements.at(-1) === node;
}

/** Places that no behaviour depends on: types, imports, texts of errors, names that classes have for LangChain. */
function isOpaque(node) {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isPropertyName(node)) {
    return !ts.isIdentifier(node) && !ts.isStringLiteral(node) && !ts.isNumericLiteral(node);
  }
  if (ts.isNewExpression(node)) return node.expression.getText().endsWith("Error");
  if (ts.isCallExpression(node)) return /^(shapeError|problem|import)$/.test(node.expression.getText());
  if (ts.isPropertyDeclaration(node)) return /^(lc_|name$)/.test(node.name.getText());
  return ts.isMethodDeclaration(node) && /^(lc_name|_llmType)$/.test(node.name.getText());
}

const isKey = (node) => node.parent?.name === node || node.parent?.propertyName === node;

const parse = (path, text) => ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TS);

/** All mutants of a source, in order, with the text that changes and the one around it. */
export function listMutants(path, text) {
  const source = parse(path, text);
  const mutants = [];
  visitPlaces(source, (node, options) => {
    for (const [what, changed] of options) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      const after = changed === undefined ? "" : print(changed, source);
      const around = node.parent.getText();
      mutants.push({ path, index: mutants.length, line, what, before: node.getText(), after, around });
    }
  });
  return mutants;
}

function visitPlaces(node, visit) {
  if (isOpaque(node)) return;
  if (!isKey(node)) {
    const options = mutantsOf(node);
    if (options.length > 0) visit(node, options);
  }
  ts.forEachChild(node, (child) => visitPlaces(child, visit));
}

const print = (node, source) =>
  ts.createPrinter({ removeComments: true }).printNode(ts.EmitHint.Unspecified, node, source).replace(/\s+/g, " ");

/** The source with the chosen mutants behind switches; `ids` maps the index of a mutant in its file to its number. */
export function instrument(path, text, ids) {
  const source = parse(path, text);
  const places = new Map();
  let index = 0;
  visitPlaces(source, (node, options) => {
    for (const [, changed] of options) {
      const id = ids.get(index);
      if (id !== undefined) places.set(node, [...(places.get(node) ?? []), [id, changed]]);
      index += 1;
    }
  });
  const transformer = (context) => {
    const visit = (node) => {
      const inner = ts.visitEachChild(node, visit, context);
      return (places.get(node) ?? []).reduce((kept, [id, changed]) => switched(node, kept, id, changed), inner);
    };
    return (root) => ts.visitNode(root, visit);
  };
  const { transformed } = ts.transform(source, [transformer]);
  const printed = ts.createPrinter().printFile(transformed[0]);
  // INVARIANT: a source that does not parse would skip all its tests, and its mutants would look unreached.
  const [error] = parse(path, printed).parseDiagnostics;
  if (error !== undefined) throw new Error(`mutants of ${path} do not parse: ${error.messageText}`);
  return printed;
}

function switched(original, kept, id, changed) {
  const isOn = factory.createCallExpression(factory.createIdentifier("globalThis.mutant?."), undefined, [
    factory.createNumericLiteral(id),
  ]);
  const choose = (left, right) =>
    factory.createParenthesizedExpression(
      factory.createConditionalExpression(
        isOn,
        undefined,
        factory.createParenthesizedExpression(left),
        undefined,
        factory.createParenthesizedExpression(right),
      ),
    );
  if (ts.isSpreadAssignment(original)) {
    return factory.createSpreadAssignment(choose(factory.createObjectLiteralExpression(), kept.expression));
  }
  if (ts.isSpreadElement(original)) {
    return factory.createSpreadElement(choose(factory.createArrayLiteralExpression(), kept.expression));
  }
  // INVARIANT: in a block, so that an `else` after the statement belongs to the `if` around it.
  if (ts.isStatement(original)) {
    return factory.createBlock([factory.createIfStatement(factory.createLogicalNot(isOn), kept)]);
  }
  return choose(changed, kept);
}

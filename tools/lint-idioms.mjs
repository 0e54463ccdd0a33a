/** Rules of the linter for idioms that save a line and cost every reader. */

/** @returns the expression without what only TypeScript sees of it */
const plain = (node) =>
  node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression' ? plain(node.expression) : node;

const isLiteral = (node) => node.properties.every(({ type }) => type === 'Property');

/** `...{ a, b }` in an object or an element: `a` and `b` can be written there. */
const noLiteralSpread = {
  create(context) {
    const check = (node) => {
      if (node.parent.type !== 'ArrayExpression' && plain(node.argument)?.type === 'ObjectExpression')
        context.report({ node, message: 'Write the properties where the literal is spread.' });
    };
    return { SpreadElement: check, JSXSpreadAttribute: check };
  },
};

/** `const [a, b] = [x, y]` for several values; a swap may stay. */
const noPairedAssignment = {
  create(context) {
    const check = (node, to, value) => {
      const from = plain(value);
      if (to.type === 'ObjectPattern' && from?.type === 'ObjectExpression' && isLiteral(from))
        context.report({ node, message: 'Assign each value in a statement of its own.' });
      if (to.type !== 'ArrayPattern' || from?.type !== 'ArrayExpression') return;
      const textsOf = ({ elements }) => elements.map((element) => element && context.sourceCode.getText(element));
      if (textsOf(to).sort().join('\n') !== textsOf(from).sort().join('\n'))
        context.report({ node, message: 'Assign each value in a statement of its own.' });
    };
    return {
      VariableDeclarator: (node) => check(node, node.id, node.init),
      AssignmentExpression: (node) => check(node, node.left, node.right),
    };
  },
};

export default {
  meta: { name: 'idioms' },
  rules: { 'no-literal-spread': noLiteralSpread, 'no-paired-assignment': noPairedAssignment },
};

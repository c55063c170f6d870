/** Own rules of `npm run lint`, for oxlint. */

/** Functions that take any number of arguments, and so invite a list of any length. */
const TAKES_MANY = new Set([
  "push",
  "unshift",
  "splice",
  "concat",
  "of",
  "max",
  "min",
  "fromCharCode",
  "fromCodePoint",
]);

/** A list that is written out, as one of two also. */
const isWrittenOut = (node) =>
  node.type === "ArrayExpression" ||
  (node.type === "ConditionalExpression" && isWrittenOut(node.consequent) && isWrittenOut(node.alternate));

const noLongSpread = {
  meta: {
    type: "problem",
    docs: { description: "a list of any length becomes no arguments: above some 125 000 they are a RangeError" },
  },
  create: (context) => ({
    CallExpression({ callee, arguments: args }) {
      const name = callee.type === "MemberExpression" && !callee.computed ? callee.property.name : undefined;
      if (!TAKES_MANY.has(name)) return;
      for (const node of args)
        if (node.type === "SpreadElement" && !isWrittenOut(node.argument))
          context.report({
            node,
            message: `\`${name}\` gets a list of unknown length as arguments; above some 125 000 that is a RangeError. Use a loop, or say in a comment why the list is short.`,
          });
    },
  }),
};

export default { meta: { name: "ggsl" }, rules: { "no-long-spread": noLongSpread } };

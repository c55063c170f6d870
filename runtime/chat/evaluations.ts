/** Nodes that are evaluated otherwise than by the package: what they are made of is evaluated once, and the package gets the values. */
import { FILTERS, METHODS, type Arguments, type Call } from "./additions.js";
import type { Environment, Node, Value } from "./jinja.js";
import { checkLimit } from "./limits.js";
import { any, given, nameOf, node, type Any } from "./nodes.js";
import { textOf } from "./text.js";
import { elementsOf, isInteger, isList, isNothing, isObject, isText, type Values } from "./values.js";

/** What evaluates the parts of a node. */
export interface Runner {
  evaluate(of: Node | undefined, scope: Environment): Value;
  /** As the package does it. */
  plain(of: object, scope: Environment): Value;
  readonly make: Values;
  charge(steps: number): void;
}

type Evaluation = (run: Runner, of: Any, scope: Environment) => Value;

/** The package makes scopes and an object for each round of a loop: as slow as that many other steps. */
const STEPS_OF_ROUND = 64;

/** Keys may be numbers. */
function object(run: Runner, of: Any, scope: Environment): Value {
  const entries = [...(of["value"] as Map<Node, Node>)];
  if (!entries.some(([key]) => key.type === "IntegerLiteral")) return run.plain(of, scope);
  return run.make.object(
    new Map(
      entries.map(([key, value]) => [run.evaluate(key, scope).value as string | number, run.evaluate(value, scope)]),
    ),
  );
}

function member(run: Runner, of: Any, scope: Environment): Value {
  const object = run.evaluate(of["object"] as Node, scope);
  const property = of["property"] as Node;
  if (of["computed"] === true && isObject(object) && property.type !== "SliceExpression") {
    const key = run.evaluate(property, scope);
    if (isInteger(key)) return object.value.get(key.value) ?? run.make.of(undefined);
    if (isNothing(key)) return run.make.of(undefined);
    return run.plain({ ...of, object: given(object), property: given(key) }, scope);
  }
  return run.plain({ ...of, object: given(object) }, scope);
}

function call(run: Runner, of: Any, scope: Environment): Value {
  const callee = any(of["callee"]);
  if (callee.type !== "MemberExpression" || callee["computed"] === true) return run.plain(of, scope);
  const object = run.evaluate(callee["object"] as Node, scope);
  const name = any(callee["property"])["value"] as string;
  const isOwn = object.type === "NamespaceValue" && isObject(object) && object.value.has(name);
  const target = { ...callee, object: given(object) };
  const method = isOwn || !Object.hasOwn(METHODS, name) ? undefined : METHODS[name];
  return added(run, method, object, of, scope, (args) => run.plain({ ...of, callee: node(target), args }, scope));
}

function filter(run: Runner, of: Any, scope: Environment): Value {
  const name = nameOf(of["filter"]);
  const operand = run.evaluate(of["operand"] as Node, scope);
  const filter = any(of["filter"]);
  const rest = { ...of, operand: given(operand) };
  const addition = name === undefined || !Object.hasOwn(FILTERS, name) ? undefined : FILTERS[name];
  if (filter.type !== "CallExpression")
    return addition?.({ of: operand, list: [], named: new Map(), scope, make: run.make }) ?? run.plain(rest, scope);
  return added(run, addition, operand, filter, scope, (args) =>
    run.plain({ ...rest, filter: { ...filter, args } }, scope),
  );
}

/** Python also goes through objects, and through what is not defined. */
function test(run: Runner, of: Any, scope: Environment): Value {
  if (any(of["test"])["value"] !== "iterable") return run.plain(of, scope);
  const value = run.evaluate(of["operand"] as Node, scope);
  const isIterable = isText(value) || isList(value) || isObject(value) || value.type === "UndefinedValue";
  return run.make.of(isIterable !== of["negate"]);
}

function binary(run: Runner, of: Any, scope: Environment): Value {
  const { value: operator } = of["operator"] as { value: string };
  if (operator !== "~" && operator !== "+" && operator !== "*") return run.plain(of, scope);
  const [left, right] = [run.evaluate(of["left"] as Node, scope), run.evaluate(of["right"] as Node, scope)];
  if (operator === "~") return run.make.of(textOf(left) + textOf(right));
  if (operator === "*" && isText(left) && isInteger(right)) {
    const count = Math.max(0, right.value);
    checkLimit("text", left.value.length * count);
    return run.make.of(left.value.repeat(count));
  }
  // what is not defined adds nothing to a text
  if (isText(left) && right.type === "UndefinedValue") return left;
  if (isText(right) && left.type === "UndefinedValue") return right;
  return run.plain({ ...of, left: given(left), right: given(right) }, scope);
}

/** Calls an addition; else `otherwise` with the arguments, which are evaluated once. */
function added(
  run: Runner,
  addition: ((call: Call) => Value | undefined) | undefined,
  object: Value,
  call: Any,
  scope: Environment,
  otherwise: (args: readonly Node[]) => Value,
): Value {
  const args = call["args"] as Node[];
  const isPlain = args.every(({ type }) => type !== "SpreadExpression" && type !== "KeywordSpreadExpression");
  // filters that take names only check the nodes of their arguments
  const isLiteral = args.every(({ type }) => type === "StringLiteral");
  if (!addition) return otherwise(args);
  if (!isPlain) throw new Error("`*` and `**` in the arguments of this call are not supported");
  const { list, named, nodes } = argumentsOf(run, args, scope);
  return addition({ of: object, list, named, scope, make: run.make }) ?? otherwise(isLiteral ? args : nodes);
}

function argumentsOf(
  run: Runner,
  args: readonly Node[],
  scope: Environment,
): Arguments & { readonly nodes: readonly Node[] } {
  const list: Value[] = [];
  const named = new Map<string, Value>();
  const nodes = args.map((argument): Node => {
    const { type, key, value } = any(argument);
    if (type !== "KeywordArgumentExpression") return given(list[list.push(run.evaluate(argument, scope)) - 1]!);
    const evaluated = run.evaluate(value as Node, scope);
    named.set(any(key)["value"] as string, evaluated);
    return node({ ...any(argument), value: given(evaluated) });
  });
  return { list, named, nodes };
}

/** `none` has no elements, and neither has what is not defined. */
function each(run: Runner, of: Any, scope: Environment): Value {
  const iterable = any(of["iterable"]);
  const isSelected = iterable.type === "SelectExpression";
  const value = run.evaluate((isSelected ? iterable["lhs"] : iterable) as Node, scope);
  run.charge(STEPS_OF_ROUND * elementsOf(value).length);
  const list = given(isNothing(value) ? run.make.list([]) : value);
  return run.plain({ ...of, iterable: isSelected ? { ...iterable, lhs: list } : list }, scope);
}

const tuple: Evaluation = (run, of, scope) => run.evaluate(node({ type: "ArrayLiteral", value: of["value"] }), scope);

const filterStatement: Evaluation = (run, of, scope) => {
  const block = run.evaluate(node({ type: "Program", body: of["body"] }), scope);
  return run.plain({ ...of, type: "FilterExpression", operand: given(block) }, scope);
};

/** By the type of the node. */
export const EVALUATIONS: ReadonlyMap<string, Evaluation> = new Map([
  ["TupleLiteral", tuple],
  ["ObjectLiteral", object],
  ["MemberExpression", member],
  ["CallExpression", call],
  ["FilterExpression", filter],
  ["FilterStatement", filterStatement],
  ["TestExpression", test],
  ["BinaryExpression", binary],
  ["For", each],
]);

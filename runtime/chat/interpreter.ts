/**
 * The package's interpreter with limits and additions. All of its evaluations pass through one method, which counts them and
 * measures their results.
 */
import { FILTERS, METHODS, type Arguments, type Call } from "./additions.js";
import type { Environment, Jinja, Node, Program, Value } from "./jinja.js";
import { CHAT_LIMITS, checkLimit, type Budget } from "./limits.js";
import { textOf } from "./text.js";
import { elementsOf, isInteger, isList, isNothing, isObject, isText, valuesOf, type Values } from "./values.js";

/** A parsed node: what all of them may have. */
interface Any {
  readonly type: string;
  readonly [member: string]: unknown;
}
const any = (node: unknown): Any => node as Any;
const node = (value: object): Node => value as Node;
/** A node that has been evaluated. */
const given = (value: Value): Node => node({ type: "Given", value });

/** What is known of a template before it runs. */
export interface Analysis {
  /** The tags that nodes are from. */
  readonly places: ReadonlyMap<Node, number>;
  /** Nodes whose value may be written out as text. */
  readonly written: ReadonlySet<Node>;
  /** Nodes inside each node that is searched when it runs. */
  readonly sizes: ReadonlyMap<Node, number>;
}

const WRITING: ReadonlySet<string> = new Set(["tojson", "string", "join", "trim", "upper", "lower"]);

export function analyze(program: Program, places: ReadonlyMap<Node, number>): Analysis {
  const written = new Set<Node>(places.keys());
  const sizes = new Map<Node, number>();
  const write = (value: unknown): void => void written.add(value as Node);
  const visit = (value: unknown): number => {
    if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + visit(one), 0);
    if (value instanceof Map) return visit([...value.keys(), ...value.values()]);
    if (typeof value !== "object" || value === null) return 0;
    const part = any(value);
    if (part.type === "BinaryExpression") {
      const { value: operator } = part["operator"] as { value: string };
      if (operator !== "and" && operator !== "or") write(part["left"]);
      if (!["and", "or", "in", "not in"].includes(operator)) write(part["right"]);
    }
    if (part.type === "FilterExpression" && WRITING.has(nameOf(part["filter"]) ?? "")) write(part["operand"]);
    if (part.type === "CallExpression" && any(any(part["callee"])["property"] ?? {})["value"] === "format")
      for (const argument of part["args"] as readonly object[])
        write(any(argument)["key"] ? any(argument)["value"] : argument);
    const size = 1 + visit(Object.values(part));
    if (part.type === "Macro" || part.type === "CallStatement") sizes.set(node(part), size);
    return size;
  };
  visit(program.body);
  return { places, written, sizes };
}

/** The name of a filter, with or without arguments. */
function nameOf(filter: unknown): string | undefined {
  const { type, value, callee } = any(filter);
  const name: unknown = type === "CallExpression" ? any(callee)["value"] : value;
  return typeof name === "string" ? name : undefined;
}

/** The package makes scopes and an object for each round of a loop: as slow as that many other steps. */
const STEPS_OF_ROUND = 64;

/** Nodes whose value exists already. */
const READS: ReadonlySet<string> = new Set(["Identifier", "Given", "Ternary", "SelectExpression", "StringLiteral"]);

/** Where a template failed: the index of a tag, if known. */
export interface Fault {
  readonly error: unknown;
  readonly place: number | undefined;
}

interface Interpreted {
  readonly run: (program: Program) => string;
  readonly fault: () => Fault | undefined;
}

export function interpreterOf(
  jinja: Jinja,
  global: Environment,
  { places, written, sizes }: Analysis,
  budget: Budget,
): Interpreted {
  const make: Values = valuesOf(jinja);
  let depth = 0;
  let place: number | undefined;
  let fault: Fault | undefined;

  const charge = (count: number): void => budget.charge(count);

  /** Walks what would be written: shared parts are written each time, and a list can contain itself. */
  function weigh(value: Value, depth = 1): number {
    charge(1);
    checkLimit("depth", depth);
    if (isText(value)) return value.value.length;
    const length = elementsOf(value).reduce((sum, one) => sum + weigh(one, depth + 1), 0);
    const names = isObject(value)
      ? [...value.value.keys()].reduce<number>((sum, key) => sum + String(key).length, 0)
      : 0;
    return checkedLength(length + names + depth * CHAT_LIMITS.indent);
  }
  const checkedLength = (length: number): number => {
    checkLimit("text", length);
    return length;
  };

  /** Checks the size of a value, which may be new. */
  function measure(of: Node, value: Value): Value {
    const isRead = READS.has(of.type) || (of.type === "MemberExpression" && !isList(value));
    if (isText(value)) {
      checkLimit("text", value.value.length);
      charge(value.value.length >> (isRead ? 10 : 6));
    } else if (isList(value) || isObject(value)) {
      const size = isList(value) ? value.value.length : value.value.size;
      checkLimit("list", size);
      charge(isRead ? size >> 6 : size);
      if (written.has(of)) weigh(value);
    }
    return value;
  }

  class Interpreter extends jinja.Interpreter {
    override evaluate(of: Node | undefined, scope: Environment): Value {
      if (!of) return super.evaluate(of, scope);
      if (of.type === "Given") return any(of)["value"] as Value;
      const outer = place;
      place = places.get(of) ?? place;
      charge(1 + (sizes.get(of) ?? 0));
      try {
        checkLimit("depth", ++depth);
        const value = measure(of, this.compute(any(of), scope));
        const isShown = places.has(of) && (isList(value) || isObject(value) || value.type === "BooleanValue");
        return isShown ? measure(of, make.of(textOf(value))) : value;
      } catch (error) {
        if (fault?.error !== error) fault = { error, place };
        throw error;
      } finally {
        depth--;
        place = outer;
      }
    }

    private compute(of: Any, scope: Environment): Value {
      switch (of.type) {
        case "TupleLiteral":
          return this.evaluate(node({ type: "ArrayLiteral", value: of["value"] }), scope);
        case "ObjectLiteral":
          return this.object(of, scope);
        case "MemberExpression":
          return this.member(of, scope);
        case "CallExpression":
          return this.call(of, scope);
        case "FilterExpression":
          return this.filter(of, scope);
        case "FilterStatement":
          return super.evaluate(
            node({ ...of, type: "FilterExpression", operand: given(this.block(of["body"] as Node[], scope)) }),
            scope,
          );
        case "TestExpression":
          return this.test(of, scope);
        case "BinaryExpression":
          return this.binary(of, scope);
        case "For":
          return this.each(of, scope);
        default:
          return super.evaluate(node(of), scope);
      }
    }

    private block(body: readonly Node[], scope: Environment): Value {
      return this.evaluate(node({ type: "Program", body }), scope);
    }

    /** Keys may be numbers. */
    private object(of: Any, scope: Environment): Value {
      const entries = [...(of["value"] as Map<Node, Node>)];
      if (!entries.some(([key]) => key.type === "IntegerLiteral")) return super.evaluate(node(of), scope);
      return make.object(
        new Map(
          entries.map(([key, value]) => [
            this.evaluate(key, scope).value as string | number,
            this.evaluate(value, scope),
          ]),
        ),
      );
    }

    private member(of: Any, scope: Environment): Value {
      const object = this.evaluate(of["object"] as Node, scope);
      const property = of["property"] as Node;
      if (of["computed"] === true && isObject(object) && property.type !== "SliceExpression") {
        const key = this.evaluate(property, scope);
        if (isInteger(key)) return object.value.get(key.value) ?? make.of(undefined);
        if (isNothing(key)) return make.of(undefined);
        return super.evaluate(node({ ...of, object: given(object), property: given(key) }), scope);
      }
      return super.evaluate(node({ ...of, object: given(object) }), scope);
    }

    private call(of: Any, scope: Environment): Value {
      const callee = any(of["callee"]);
      if (callee.type !== "MemberExpression" || callee["computed"] === true) return super.evaluate(node(of), scope);
      const object = this.evaluate(callee["object"] as Node, scope);
      const name = any(callee["property"])["value"] as string;
      const isOwn = object.type === "NamespaceValue" && isObject(object) && object.value.has(name);
      const target = { ...callee, object: given(object) };
      const method = isOwn || !Object.hasOwn(METHODS, name) ? undefined : METHODS[name];
      return this.added(method, object, of, scope, (args) =>
        super.evaluate(node({ ...of, callee: node(target), args }), scope),
      );
    }

    private filter(of: Any, scope: Environment): Value {
      const name = nameOf(of["filter"]);
      const operand = this.evaluate(of["operand"] as Node, scope);
      const filter = any(of["filter"]);
      const rest = { ...of, operand: given(operand) };
      const added = name === undefined || !Object.hasOwn(FILTERS, name) ? undefined : FILTERS[name];
      if (filter.type !== "CallExpression")
        return added?.({ of: operand, list: [], named: new Map(), scope, make }) ?? super.evaluate(node(rest), scope);
      return this.added(added, operand, filter, scope, (args) =>
        super.evaluate(node({ ...rest, filter: { ...filter, args } }), scope),
      );
    }

    /** Python also goes through objects, and through what is not defined. */
    private test(of: Any, scope: Environment): Value {
      if (any(of["test"])["value"] !== "iterable") return super.evaluate(node(of), scope);
      const value = this.evaluate(of["operand"] as Node, scope);
      const isIterable = isText(value) || isList(value) || isObject(value) || value.type === "UndefinedValue";
      return make.of(isIterable !== of["negate"]);
    }

    private binary(of: Any, scope: Environment): Value {
      const { value: operator } = of["operator"] as { value: string };
      if (operator !== "~" && operator !== "+" && operator !== "*") return super.evaluate(node(of), scope);
      const [left, right] = [this.evaluate(of["left"] as Node, scope), this.evaluate(of["right"] as Node, scope)];
      if (operator === "~") return make.of(textOf(left) + textOf(right));
      if (operator === "*" && isText(left) && isInteger(right)) {
        const count = Math.max(0, right.value);
        checkLimit("text", left.value.length * count);
        return make.of(left.value.repeat(count));
      }
      // what is not defined adds nothing to a text
      if (isText(left) && right.type === "UndefinedValue") return left;
      if (isText(right) && left.type === "UndefinedValue") return right;
      return super.evaluate(node({ ...of, left: given(left), right: given(right) }), scope);
    }

    /** Calls an addition; else `otherwise` with the arguments, which are evaluated once. */
    private added(
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
      const { list, named, nodes } = this.arguments(args, scope);
      return addition({ of: object, list, named, scope, make }) ?? otherwise(isLiteral ? args : nodes);
    }

    private arguments(args: readonly Node[], scope: Environment): Arguments & { readonly nodes: readonly Node[] } {
      const list: Value[] = [];
      const named = new Map<string, Value>();
      const nodes = args.map((argument): Node => {
        const { type, key, value } = any(argument);
        if (type !== "KeywordArgumentExpression") return given(list[list.push(this.evaluate(argument, scope)) - 1]!);
        const evaluated = this.evaluate(value as Node, scope);
        named.set(any(key)["value"] as string, evaluated);
        return node({ ...any(argument), value: given(evaluated) });
      });
      return { list, named, nodes };
    }

    /** `none` has no elements, and neither has what is not defined. */
    private each(of: Any, scope: Environment): Value {
      const iterable = any(of["iterable"]);
      const isSelected = iterable.type === "SelectExpression";
      const value = this.evaluate((isSelected ? iterable["lhs"] : iterable) as Node, scope);
      charge(STEPS_OF_ROUND * elementsOf(value).length);
      const list = given(isNothing(value) ? make.list([]) : value);
      return super.evaluate(node({ ...of, iterable: isSelected ? { ...iterable, lhs: list } : list }), scope);
    }
  }

  const interpreter = new Interpreter(global);
  return { run: (program) => String(interpreter.run(program).value), fault: () => fault };
}

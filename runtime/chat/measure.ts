/** The sizes of values while a template runs: they are limited, and cost steps. */
import type { Node, Value } from "./jinja.js";
import { CHAT_LIMITS, checkLimit, type Budget } from "./limits.js";
import { elementsOf, isList, isObject, isText } from "./values.js";

/** Nodes whose value exists already. */
const READS: ReadonlySet<string> = new Set(["Identifier", "Given", "Ternary", "SelectExpression", "StringLiteral"]);

/** Checks the size of a value, which may be new: the result of this node. */
type Measure = (of: Node, value: Value) => Value;

/** @param written nodes whose value may be written out as text */
export function measureOf(budget: Budget, written: ReadonlySet<Node>): Measure {
  /** Walks what would be written: shared parts are written each time, and a list can contain itself. */
  function weigh(value: Value, depth = 1): number {
    budget.charge(1);
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

  return (of, value) => {
    const isRead = READS.has(of.type) || (of.type === "MemberExpression" && !isList(value));
    if (isText(value)) {
      checkLimit("text", value.value.length);
      budget.charge(value.value.length >> (isRead ? 10 : 6));
    } else if (isList(value) || isObject(value)) {
      const size = isList(value) ? value.value.length : value.value.size;
      checkLimit("list", size);
      budget.charge(isRead ? size >> 6 : size);
      if (written.has(of)) weigh(value);
    }
    return value;
  };
}

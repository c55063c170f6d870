/** The package's values: it exports no constructors, but an environment makes them. */
import type { Environment, Jinja, Value } from "./jinja.js";

type Callable = (args: Value[], scope: Environment) => Value;

export interface Values {
  /** Of a plain JavaScript value. */
  readonly of: (plain: unknown) => Value;
  readonly list: (elements: Value[]) => Value;
  readonly object: (elements: Map<string | number, Value>) => Value;
  readonly callable: (call: Callable) => Value;
}

export function valuesOf({ Environment }: Jinja): Values {
  const of = (plain: unknown): Value => new Environment().set("value", plain);
  const maker = <T>(plain: unknown): new (value: T) => Value =>
    of(plain).constructor as unknown as new (value: T) => Value;
  const [List, Dictionary, Callable] = [
    maker<Value[]>([]),
    maker<Map<string | number, Value>>({}),
    maker<Callable>(() => null),
  ];
  return {
    of,
    list: (elements) => new List(elements),
    object: (elements) => new Dictionary(elements),
    callable: (call) => new Callable(call),
  };
}

export const isText = (value: Value | undefined): value is Value & { value: string } => value?.type === "StringValue";
export const isInteger = (value: Value | undefined): value is Value & { value: number } =>
  value?.type === "IntegerValue";
export const isNumber = (value: Value | undefined): value is Value & { value: number } =>
  isInteger(value) || value?.type === "FloatValue";
export const isList = (value: Value | undefined): value is Value & { value: Value[] } =>
  value?.type === "ArrayValue" || value?.type === "TupleValue";
/** An object, a namespace or keyword arguments. */
export const isObject = (value: Value | undefined): value is Value & { value: Map<string | number, Value> } =>
  value?.value instanceof Map;
/** `none`, and what is not defined. */
export const isNothing = (value: Value): boolean => value.type === "NullValue" || value.type === "UndefinedValue";

export const elementsOf = (value: Value): readonly Value[] =>
  isList(value) ? value.value : isObject(value) ? [...value.value.values()] : [];

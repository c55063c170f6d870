/** E033x and E034x: functions, folds and `repeat`. */
import type { Span } from "../source/source.js";
import { error, warning, type Diagnostic } from "./diagnostic.js";

/** `path`: the functions that call each other, the first one also last. */
export const functionCycle = (span: Span, path: readonly string[]): Diagnostic =>
  error("E0330", span, `the function \`${path[0]}\` calls itself`, {
    ...(path.length > 2 && { label: path.join(" -> ") }),
    help: "calls are replaced by what the function computes, so none can lead back to it; `repeat` applies an expression several times",
  });

export const functionTooDeep = (span: Span, name: string, limit: number): Diagnostic =>
  error("E0331", span, `the function \`${name}\` is nested too deep`, {
    label: `more than ${limit} levels, with those of the functions that it calls`,
  });

/** `what` is "a parameter" or "the result". */
export const functionOfType = (span: Span, what: string, type: string): Diagnostic =>
  error("E0332", span, `${what} of a function cannot be a ${type}`, {
    help:
      type === "seed"
        ? "a function draws no random numbers: pass the number, as in `f(uniform(seed))`"
        : "a function computes with numbers and conditions: `f32`, `i32` or `bool`",
  });

export const rangeOfFunction = (span: Span): Diagnostic =>
  error("E0333", span, "a parameter of a function has no range", {
    help: "give the range to the parameter of the sampler or chain that the value comes from, or use `clamp`",
  });

export const drawInside = (span: Span, name: string, place: "fn" | "loop"): Diagnostic =>
  error("E0334", span, `\`${name}\` inside ${place === "fn" ? "a function" : "the rounds of a loop"}`, {
    label: place === "fn" ? "which calls would share the draw?" : "every round would use the same draw",
    help:
      place === "fn"
        ? "make the number a parameter, and draw where the function is called"
        : "draw before it, with `let`, and use that name",
  });

export const boundNotStatic = (span: Span): Diagnostic =>
  error("E0335", span, "the number of rounds must be known at compile time", {
    label: "this can change with every token",
    help: "use a constant, or an expression of `static` parameters",
  });

export const tooManyRounds = (span: Span, found: number, limit: number): Diagnostic =>
  error("E0336", span, `${found} rounds are too many: at most ${limit} are allowed`, {
    help: "each round is computed separately",
  });

export const negativeRounds = (span: Span, found: number): Diagnostic =>
  error("E0337", span, `the number of rounds must be at least 0, found ${found}`);

export const emptyExtremum = (span: Span, name: string, from: number, to: number): Diagnostic =>
  error("E0338", span, `\`${name}\` over no values: ${from}..${to} is empty`, {
    help: "over no values, `sum` is 0, `any` is false and `all` is true, but there is no smallest or largest value",
  });

export const resultOfType = (span: Span, name: string, expected: string, found: string): Diagnostic =>
  error("E0339", span, `the result of \`${name}\` is ${found}, but its type is ${expected}`, {
    help:
      expected === "i32"
        ? "convert it with `round`, `floor` or `ceil`, or declare the type `f32`"
        : "change the type or the expression",
  });

/** A fault of a function's body that only the arguments of a call cause. */
export const faultOfCall = (call: Span, name: string, fault: Diagnostic): Diagnostic => ({
  code: fault.code,
  severity: fault.severity,
  message: `in \`${name}\` with these arguments: ${fault.message}`,
  span: call,
  ...(fault.help !== undefined && { help: fault.help }),
  notes: [...(fault.notes ?? []), { message: fault.label ?? `in the body of \`${name}\``, span: fault.span }],
});

export const unusedFunction = (span: Span, name: string): Diagnostic =>
  warning("W0530", span, `nothing calls the function \`${name}\``, { help: "call it in a sampler, or remove it" });

/** Matching the arguments of a stage with the parameters of what it calls. */
import type { Arg, Param } from "../syntax/ast.js";
import type { Span } from "../source/source.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import {
  givenTwice,
  missingArgument,
  positionalAfterNamed,
  tooManyArguments,
  unknownArgument,
} from "../diagnostics/params.js";

interface ResolvedArgs {
  /** The argument of each parameter that was given one. */
  readonly bound: ReadonlyMap<string, Arg>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Matches by position, then by name. `callee` has the name and the span of the call, for diagnostics. */
export function resolveArgs(
  params: readonly Param[],
  args: readonly Arg[],
  callee?: { name: string; span: Span },
): ResolvedArgs {
  const bound = new Map<string, Arg>();
  const diagnostics: Diagnostic[] = [];
  const names = params.map((p) => p.name.text);
  const called = callee?.name ?? "";
  let hasNamed = false;
  args.forEach((arg, i) => {
    hasNamed ||= arg.name !== undefined;
    const name = arg.name?.text ?? names[i];
    if (arg.name === undefined && hasNamed) diagnostics.push(positionalAfterNamed(arg.span));
    else if (name === undefined) {
      if (i === params.length) diagnostics.push(tooManyArguments(arg.span, called, params.length, args.length));
    } else if (!names.includes(name)) diagnostics.push(unknownArgument(arg.name!.span, name, called, names));
    else if (bound.has(name)) diagnostics.push(givenTwice(arg.span, name));
    else bound.set(name, arg);
  });
  if (callee && diagnostics.length === 0) {
    const missing = params.filter((p) => !p.default && !bound.has(p.name.text));
    for (const { name } of missing) diagnostics.push(missingArgument(callee.span, called, name.text));
  }
  return { bound, diagnostics };
}

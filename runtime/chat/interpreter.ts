/**
 * The package's interpreter with limits and additions. All of its evaluations pass through one method, which counts them and
 * measures their results.
 */
import type { Analysis } from "./analysis.js";
import { EVALUATIONS, type Runner } from "./evaluations.js";
import type { Environment, Jinja, Node, Program, Value } from "./jinja.js";
import { checkLimit, type Budget } from "./limits.js";
import { measureOf } from "./measure.js";
import { any, node } from "./nodes.js";
import { textOf } from "./text.js";
import { isList, isObject, valuesOf } from "./values.js";

/** Where a template failed: the index of a tag, if known. */
interface Fault {
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
  const make = valuesOf(jinja);
  const measure = measureOf(budget, written);
  let depth = 0;
  let place: number | undefined;
  let fault: Fault | undefined;

  class Interpreter extends jinja.Interpreter implements Runner {
    readonly make = make;

    override evaluate(of: Node | undefined, scope: Environment): Value {
      if (!of) return super.evaluate(of, scope);
      if (of.type === "Given") return any(of)["value"] as Value;
      const outer = place;
      place = places.get(of) ?? place;
      budget.charge(1 + (sizes.get(of) ?? 0));
      try {
        checkLimit("depth", ++depth);
        const value = measure(of, this.compute(of, scope));
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

    private compute(of: Node, scope: Environment): Value {
      const evaluation = EVALUATIONS.get(of.type);
      return evaluation ? evaluation(this, any(of), scope) : super.evaluate(of, scope);
    }

    plain(of: object, scope: Environment): Value {
      return super.evaluate(node(of), scope);
    }

    charge(steps: number): void {
      budget.charge(steps);
    }
  }

  const interpreter = new Interpreter(global);
  return { run: (program) => String(interpreter.run(program).value), fault: () => fault };
}

/** Expressions of every form and type of the language. */
import * as fc from "fast-check";
import { callOf, functionChoices, type CallParts, type FunctionChoice } from "./declared.js";
import * as F from "./functions.js";
import { allows, stands } from "./grammars.js";
import { foldConditions, foldNumbers, repeated } from "./loops.js";
import { completes, endsWith, inside, knownInSet, lastTokens, rejected, since, tokenInSet } from "./sets.js";
import { isOrdered, nameOf, oneOf, t, where, words } from "./text.js";
import type { Kind, Named, Snippet, Rate, Text } from "./text.js";

const RATES: readonly Rate[] = ["static", "settled", "uniform", "runtime"];

const known =
  (latest: Rate, ...kinds: readonly Kind[]) =>
  (n: Named): boolean =>
    kinds.includes(n.kind) && RATES.indexOf(n.rate) <= RATES.indexOf(latest);

const numbers = fc.oneof(
  { weight: 6, arbitrary: words("0", "1", "2", "0.5", "-1", "3", "0.1", "-0.3", "7", "1.5") },
  {
    weight: 1,
    arbitrary: words("10", "100", "1e-9", "1e9", "-1e9", "1e38", "-1e38", "1e-38", "16777216", "1e-20", "1e20"),
  },
);
const wholes = words("0", "1", "2", "3", "5", "-1", "-2", "40", "1000");
const truths = words("true", "false");

const MAPS = words(...F.MAPS);
const ROUNDINGS = words(...F.ROUNDINGS);
const REDUCTIONS = words(...F.REDUCTIONS);
const SCANS = words(...F.SCANS);
const ARITHMETIC = words("+", "-", "*", "/", "%");
const WHOLE_ARITHMETIC = words("+", "-", "*", "%");
const COMPARISONS = words("<", "<=", ">", ">=", "==", "!=");
const LOGIC = words("and", "or");
const PAIRS = words(...F.PAIRS);
const WHOLE_PAIRS = words(...F.WHOLE_PAIRS);
const TRIPLES = words(...F.TRIPLES);
const POWERS = words("2", "3", "0.5", "-1", "0", "8", "1.5");

/** A seed: a number, or a parameter of that type. */
export const seeds: Snippet = fc.tuple(fc.nat({ max: 7 }), fc.constantFrom("0", "1", "42", "4294967295")).map(
  ([which, literal]) =>
    (s) =>
      [...s.seeds, literal][which % (s.seeds.length + 1)]!,
);

/** The index of a draw: increases from token to token, known before the graph runs. */
export const drawNumbers = words("step", "2 * step", "step + 3", "floor(step / 2)");

const draws = where(
  (s) => s.canDraw,
  fc.oneof(t`${words(...F.DRAWS)}(${seeds})`, t`${words(...F.DRAWS)}(${seeds}, ${drawNumbers})`),
  words("0.25", "n"),
);

/** Integers that are known before the graph runs and exact. */
const exactWholes = fc.oneof(
  nameOf(known("uniform", "whole"), words("step", "vocab")),
  words("0", "5", "-1", "16777215", "prompt_length", "step"),
  lastTokens,
);

/** Windows over the text; one that is not constant may have any value. */
const namedWholes = nameOf(
  known("uniform", "whole"),
  oneOf((s) => s.states.filter(({ kind }) => kind === "whole").map(({ name }) => name), words("step")),
);
const windows = fc.oneof(
  words("0", "1", "2", "4", "8", "16", "-1"),
  nameOf(({ isPosition }) => isPosition === true, words("3")),
  where(
    (s) => s.canUseWindows,
    fc.oneof(t`clamp(${namedWholes}, -1, 6)`, t`max(-1, ${namedWholes})`, t`max(-1, min(step, ${namedWholes}))`),
    words("3"),
  ),
);
const sources = words("", "", ", in: generated", ", in: prompt", ", in: all");

const hashes = fc.oneof(
  words("hash(token)", "hash(token, step, 5, vocab)"),
  t`hash(${exactWholes}, token)`,
  t`hash(token, ${exactWholes}, ${exactWholes})`,
  t`hash(${exactWholes}, token, 3, ${exactWholes})`,
);
const noises = fc.oneof(
  t`noise(${seeds})`,
  t`noise(${seeds}, ${fc.oneof(drawNumbers, lastTokens, words("prompt_length", "-3"))})`,
);
const features = fc.oneof(
  t`${words(...F.WINDOWED)}(${windows}${sources})`,
  t`${words(...F.BROKEN)}(${windows}, ${words("[]", "[0]", "[1, 3]")}${sources})`,
  words("bias"),
  completes,
  hashes,
  noises,
);

/** A column of integers; `rank` needs sorted rows. */
const rowNumbers = where(isOrdered, words("rank", "token"), words("token"));

const EQUALITIES = words("==", "!=");

type Weighted = Snippet | { readonly weight: number; readonly arbitrary: Snippet };
const often = (weight: number, arbitrary: Snippet): Weighted => ({ weight, arbitrary });

/** Shared by all types, so that it bounds the whole expression; the first choice is a leaf. */
const depthIdentifier = fc.createDepthIdentifier();
const one = (...pieces: readonly Weighted[]): Snippet =>
  fc.oneof({ maxDepth: 3, depthSize: "small", depthIdentifier, withCrossShrink: true }, ...pieces);

interface Grammar {
  staticWhole: Text;
  staticScalar: Text;
  staticFlag: Text;
  settledFlag: Text;
  uniformWhole: Text;
  uniformScalar: Text;
  uniformFlag: Text;
  whole: Text;
  scalar: Text;
  flag: Text;
  column: Text;
  mask: Text;
}

const UNIFORM_KEYS = [
  "staticWhole",
  "staticScalar",
  "staticFlag",
  "uniformWhole",
  "uniformScalar",
  "uniformFlag",
] as const;
const RUNTIME_KEYS = ["whole", "scalar", "flag", "column", "mask"] as const;

/** Parts by name, for use before their definition. */
const ties = <K extends keyof Grammar>(tie: fc.LetrecTypedTie<Grammar>, keys: readonly K[]): Record<K, Snippet> =>
  Object.fromEntries(keys.map((key) => [key, tie(key)])) as Record<K, Snippet>;

export const expressions: fc.LetrecValue<Grammar> = fc.letrec<Grammar>((tie) => {
  const { staticWhole, staticScalar, staticFlag, uniformWhole, uniformScalar, uniformFlag } = ties(tie, UNIFORM_KEYS);
  const { whole, scalar, flag, column, mask } = ties(tie, RUNTIME_KEYS);
  const statics = { scalar: staticScalar, whole: staticWhole, flag: staticFlag };
  const uniformCalls: Omit<CallParts, "otherwise"> = {
    args: { scalar: uniformScalar, whole: uniformWhole, flag: uniformFlag },
    statics,
    isUniform: true,
  };
  const calls: Omit<CallParts, "otherwise"> = { args: { scalar, whole, flag }, statics, isUniform: false };
  /** With columns for arguments. */
  const rowCalls: Omit<CallParts, "otherwise"> = {
    args: { scalar: column, whole: fc.oneof(rowNumbers, whole), flag: mask },
    statics,
    isUniform: false,
  };
  return {
    staticWhole: one(
      nameOf(known("static", "whole"), wholes),
      wholes,
      t`(${staticWhole} ${words("+", "-", "*")} ${staticWhole})`,
      t`${WHOLE_PAIRS}(${staticWhole}, ${staticWhole})`,
      t`(${staticFlag} ? ${staticWhole} : ${staticWhole})`,
      foldNumbers(staticWhole),
    ),
    staticScalar: one(
      nameOf(known("static", "scalar", "whole"), numbers),
      numbers,
      t`(${staticScalar} ${ARITHMETIC} ${staticScalar})`,
      t`${MAPS}(${staticScalar})`,
      staticWhole,
      foldNumbers(staticScalar),
    ),
    staticFlag: one(
      nameOf(known("static", "flag"), truths),
      t`(${staticScalar} ${COMPARISONS} ${staticScalar})`,
      t`(${staticFlag} ${LOGIC} ${staticFlag})`,
      t`(${staticFlag} ${EQUALITIES} ${staticFlag})`,
      foldConditions(staticFlag),
      t`(not ${staticFlag})`,
      t`known(${flag})`,
    ),
    // decided only by the arguments of the stage
    settledFlag: one(
      nameOf(known("settled", "flag"), truths),
      t`(${nameOf(known("settled", "scalar", "whole"), numbers)} ${COMPARISONS} ${staticScalar})`,
      staticFlag,
    ),

    uniformWhole: one(
      nameOf(known("uniform", "whole"), wholes),
      words("vocab", "step"),
      wholes,
      often(2, fc.oneof(lastTokens, since, words("prompt_length"))),
      t`hash(${exactWholes})`,
      t`hash(${exactWholes}, ${exactWholes})`,
      foldNumbers(uniformWhole),
      callOf("whole", { ...uniformCalls, otherwise: wholes }),
      t`(${uniformWhole} ${WHOLE_ARITHMETIC} ${uniformWhole})`,
      t`${ROUNDINGS}(${uniformScalar})`,
      t`${WHOLE_PAIRS}(${uniformWhole}, ${uniformWhole})`,
    ),
    uniformScalar: one(
      often(2, nameOf(known("uniform", "scalar", "whole"), numbers)),
      numbers,
      uniformWhole,
      t`(${uniformScalar} ${ARITHMETIC} ${uniformScalar})`,
      t`(${uniformScalar} ^ ${POWERS})`,
      t`${MAPS}(${uniformScalar})`,
      t`${TRIPLES}(${uniformScalar}, ${uniformScalar}, ${uniformScalar})`,
      t`(${uniformFlag} ? ${uniformScalar} : ${uniformScalar})`,
      t`(-${uniformScalar})`,
      foldNumbers(uniformScalar),
      callOf("scalar", { ...uniformCalls, otherwise: numbers }),
    ),
    uniformFlag: one(
      nameOf(known("uniform", "flag"), truths),
      t`(${uniformScalar} ${COMPARISONS} ${uniformScalar})`,
      t`(${uniformFlag} ${LOGIC} ${uniformFlag})`,
      t`(not ${uniformFlag})`,
      t`(${uniformFlag} ${EQUALITIES} ${uniformFlag})`,
      often(2, fc.oneof(endsWith, inside)),
      often(2, stands),
      often(2, knownInSet),
      foldConditions(uniformFlag),
      callOf("flag", { ...uniformCalls, otherwise: truths }),
    ),

    whole: one(
      often(2, nameOf(known("runtime", "whole"), wholes)),
      wholes,
      words("n", "n", "vocab", "step"),
      often(2, t`${words(...F.COUNTS)}(${mask})`),
      t`${ROUNDINGS}(${scalar})`,
      t`(${whole} ${WHOLE_ARITHMETIC} ${whole})`,
      t`(-${whole})`,
      t`abs(${whole})`,
      t`${WHOLE_PAIRS}(${rowNumbers})`,
      t`${WHOLE_PAIRS}(${whole}, ${whole})`,
      t`${TRIPLES}(${whole}, ${whole}, ${whole})`,
      t`(${flag} ? ${whole} : ${whole})`,
      often(2, fc.oneof(lastTokens, since, words("prompt_length"))),
      foldNumbers(whole),
      repeated("whole", "runtime", whole, whole),
      callOf("whole", { ...calls, otherwise: wholes }),
    ),
    scalar: one(
      often(2, nameOf(known("runtime", "scalar", "whole"), numbers)),
      often(2, numbers),
      whole,
      often(4, t`${REDUCTIONS}(${column})`),
      t`${words(...F.MEASURES)}()`,
      draws,
      t`${MAPS}(${scalar})`,
      often(2, t`(${scalar} ${ARITHMETIC} ${scalar})`),
      t`(${scalar} ^ ${fc.oneof(POWERS, scalar)})`,
      t`(-${scalar})`,
      t`${PAIRS}(${scalar}, ${scalar})`,
      t`${TRIPLES}(${scalar}, ${scalar}, ${scalar})`,
      t`(${flag} ? ${scalar} : ${scalar})`,
      where((s) => s.canUsePicked, t`picked(${column})`, t`max(${column})`),
      foldNumbers(scalar),
      repeated("scalar", "runtime", scalar, scalar),
      repeated("scalar", "uniform", uniformScalar, uniformScalar),
      often(2, callOf("scalar", { ...calls, otherwise: numbers })),
    ),
    flag: one(
      nameOf(known("runtime", "flag"), truths),
      often(3, t`(${scalar} ${COMPARISONS} ${scalar})`),
      often(2, t`${words(...F.QUANTIFIERS)}(${mask})`),
      t`(${flag} ${LOGIC} ${flag})`,
      t`(not ${flag})`,
      t`known(${fc.oneof(flag, mask)})`,
      t`(${flag} ${EQUALITIES} ${flag})`,
      where((s) => s.canUsePicked, t`picked(${mask})`, t`any(${mask})`),
      fc.oneof(endsWith, knownInSet),
      foldConditions(flag),
      repeated("flag", "runtime", flag, flag),
      callOf("flag", { ...calls, otherwise: truths }),
      t`(${flag} ? ${flag} : ${flag})`,
    ),
    column: one(
      often(4, words("logit", "prob", "logit", "prob", "token")),
      rowNumbers,
      often(3, nameOf(known("runtime", "column"), words("logit"))),
      often(3, features),
      often(2, words("raw_logit", "raw_prob")),
      foldNumbers(fc.oneof(column, column, features)),
      repeated("column", "runtime", column, column),
      often(2, t`(${words("logit", "prob", "token")} + ${callOf("scalar", { ...rowCalls, otherwise: scalar })})`),
      often(2, t`${MAPS}(${column})`),
      often(2, t`(${column} ${ARITHMETIC} ${scalar})`),
      t`(${scalar} ${ARITHMETIC} ${column})`,
      often(2, t`(${column} ${ARITHMETIC} ${column})`),
      t`(${column} ^ ${fc.oneof(POWERS, POWERS, scalar, column)})`,
      t`(-${column})`,
      t`${PAIRS}(${column}, ${fc.oneof(scalar, column)})`,
      t`${TRIPLES}(${column}, ${scalar}, ${scalar})`,
      often(2, t`${SCANS}(${fc.oneof(column, column, scalar)})`),
      often(2, t`(${mask} ? ${fc.oneof(column, scalar)} : ${column})`),
      t`(${flag} ? ${column} : ${fc.oneof(column, scalar)})`,
      often(3, where(isOrdered, t`${words(...F.MOVES)}(${column}, ${fc.oneof(scalar, column)})`, column)),
    ),
    mask: one(
      t`(${column} ${COMPARISONS} ${scalar})`,
      often(2, nameOf(known("runtime", "mask"), t`(prob ${COMPARISONS} ${numbers})`)),
      often(3, t`(${column} ${COMPARISONS} ${fc.oneof(scalar, column)})`),
      t`(${scalar} ${COMPARISONS} ${column})`,
      t`(${mask} ${LOGIC} ${fc.oneof(mask, flag)})`,
      t`(${mask} ${EQUALITIES} ${fc.oneof(mask, flag)})`,
      often(2, tokenInSet),
      rejected,
      allows,
      t`(${completes} ${COMPARISONS} ${words("0", "1", "2")})`,
      foldConditions(mask),
      repeated("mask", "runtime", mask, mask),
      t`((prob > 0.01) and ${callOf("flag", { ...rowCalls, otherwise: flag })})`,
      t`(not ${mask})`,
      t`(${fc.oneof(mask, flag)} ? ${mask} : ${fc.oneof(mask, flag)})`,
    ),
  };
});

const { uniformScalar, uniformWhole, uniformFlag, scalar, whole, flag } = expressions;

/** The functions of a program. */
export const functions: fc.Arbitrary<FunctionChoice> = functionChoices(
  { scalar: uniformScalar, whole: uniformWhole, flag: uniformFlag },
  { scalar, whole, flag },
);

/** Grammars that the engine is compared over: those of llama.cpp's repository, and some with each construct of GBNF. */
import { readdirSync, readFileSync } from "node:fs";

const FOLDER = "build/llama.cpp/grammars";

/** By their files' names. */
export const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(".gbnf"))
    .map((file) => [file, readFileSync(`${FOLDER}/${file}`, "utf8")]),
);

export const CONSTRUCTS: Readonly<Record<string, string>> = {
  "an expression": 'root ::= expr\nexpr ::= term ("+" term)*\nterm ::= number\nnumber ::= [0-9]+',
  "rules that call each other":
    'root ::= expression\nexpression ::= term ws (("+"|"-") ws term)*\nterm ::= factor ws (("*"|"/") ws factor)*\nfactor ::= number | variable | "(" expression ")" | function-call\nnumber ::= [0-9]+\nvariable ::= [a-zA-Z_][a-zA-Z0-9_]*\nfunction-call ::= variable ws "(" (expression ("," ws expression)*)? ")"\nws ::= [ \\t\\n\\r]?',
  "any character": 'root ::= ... "abc" ...',
  "a star": 'root ::= "a"*',
  "a plus": "root ::= [a-z]+ [0-9]+",
  "an option": 'root ::= "a"? "b"?',
  "an option of alternatives": 'root ::= cons+ ftyp*\nftyp ::= "a" | "bb"\ncons ::= [yxz]+',
  "exactly four": "root ::= [ab]{4}",
  "at least four": "root ::= [ab]{4,}",
  "at most four": "root ::= [ab]{0,4}",
  "groups that repeat": 'root ::= ("a" | "b" [c-e]){1,2} ("x" ("y" | "z")*)?',
  "alternatives that begin and end alike": `root ::= ${[599, 600, 641, 658, 597, 698].map((n) => `"${n}"`).join(" | ")}`,
  "classes that begin alike": 'root ::= [0-9] "a" | [0-9] "b" "c" | [0-9] "bd"',
  "negated classes": 'root ::= [^a-z"\\\\]+ "x" [^0-9]?',
  escapes: 'root ::= "\\x41\\u00e9\\U0001F600\\t\\n\\r\\\\\\"\\[\\]" [\\]\\-^]',
  "a few letters beyond ASCII": "root ::= [äöüß€a-c]+",
  "comments and lines": 'root ::= # here\n  "a" (\n  # there\n  | "b"\n) x\nx ::= "c" |\n  "d"',
  "the same name twice": 'root ::= a\na ::= "x"\na ::= "y"',
  "true and false": 'root ::= true | false\ntrue ::= "yes"\nfalse ::= "no"',
  "an empty class": 'root ::= "a" [] "b"',
};

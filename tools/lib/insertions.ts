/**
 * Where llama-server calls libggsl: lines of our own, each put before or after a line of its source that is found by the names in it.
 * With them a request's field `ggsl`, `{ "spec": ..., "set": { ... } }`, brings the chain of its text (tools/llama-server/ggsl-request.h).
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "./process.js";

interface Insertion {
  readonly file: string;
  readonly where: "before" | "after";
  /** Matches one line of the file. */
  readonly line: RegExp;
  readonly lines: readonly string[];
}

const INSERTIONS: readonly Insertion[] = [
  {
    file: "server-task.h",
    where: "after",
    line: /common_params_sampling sampling;/,
    lines: ["    std::string ggsl; // the request's field, as JSON; empty without it"],
  },
  {
    file: "server-schema.cpp",
    where: "before",
    line: /new field_json\("lora"\)/,
    lines: [
      '    add((new field_json("ggsl"))->set_handler([&](field_eval_context & ctx, const json & data) {',
      '        ctx.params.ggsl = data.at("ggsl").dump();',
      "    }));",
    ],
  },
  {
    file: "server-context.cpp",
    where: "after",
    line: /#include "server-context\.h"/,
    lines: ['#include "ggsl-request.h"'],
  },
  {
    file: "server-context.cpp",
    where: "after",
    line: /spec_i_batch\.push_back\(batch\.size\(\)\);/,
    lines: ["            tell_draft(common_sampler_get(smpl.get()), spec_draft);"],
  },
  {
    file: "server-context.cpp",
    where: "after",
    line: /smpl\.reset\(common_sampler_init\(model_tgt/,
    lines: [
      "                if (!task.params.ggsl.empty()) {",
      "                    use_chain(common_sampler_get(slot.smpl.get()), model_tgt, task.params.ggsl);",
      "                }",
    ],
  },
];

/** How many lines are put into llama-server. */
export const INSERTED = INSERTIONS.reduce((sum, { lines }) => sum + lines.length, 0);

/** Copies the sources of a folder with the insertions. Throws a `ToolError` if a place is not found once. */
export function copyWithInsertions(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from).filter((file) => /\.(cpp|h)$/.test(file))) {
    const lines = readFileSync(join(from, name), "utf8").split("\n");
    for (const insertion of INSERTIONS.filter(({ file }) => file === name)) insert(insertion, lines);
    const text = lines.join("\n");
    // so that make compiles only what has changed
    const path = join(to, name);
    if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
  }
}

function insert({ file, where, line, lines }: Insertion, source: string[]): void {
  const places = source.flatMap((text, i) => (line.test(text) ? [i] : []));
  if (places.length !== 1)
    throw new ToolError(
      `llama-server: expected one line of ${file} that matches ${line}, found ${places.length}: llama.cpp has changed, so find the place again (tools/lib/insertions.ts)`,
    );
  source.splice(places[0]! + (where === "after" ? 1 : 0), 0, ...lines);
}

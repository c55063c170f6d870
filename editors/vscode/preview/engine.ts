/** The thread that evaluates for the preview. It has the playground's engine, and reads imports from disk. */
import fs from "node:fs";
import path from "node:path";
import { parentPort } from "node:worker_threads";
import "../../../playground/dispose.js";
import { CompileError } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { compileError } from "@ggsl/compiler/check/format.js";
import type { Program } from "@ggsl/compiler/check/program.js";
import { diskImporter } from "@ggsl/compiler/diskImporter.js";
import { checkSource } from "@ggsl/compiler/driver.js";
import type { ImportedFile } from "../../../playground/engine/messages.js";
import { FILE } from "../../../playground/engine/parser.js";
import { stagesReply } from "../../../playground/engine/stages.js";
import { logitsOf } from "../../../playground/state/source.js";
import type { Answer, Request } from "./messages.js";

/** The value of open seeds. */
const SEED = 1;

async function answer({ id, name, text, offset, root, logits }: Request): Promise<Answer> {
  try {
    // the engine gets the texts of imports as data
    const imports: ImportedFile[] = [];
    const disk = diskImporter({ fs, path }, { rootOf: () => root });
    const { program, diagnostics } = checkSource(
      { name, text },
      {
        importer(wanted, from) {
          const found = disk(wanted, from);
          if (found && "text" in found) imports.push({ ...found, path: wanted, from: from === name ? FILE : from });
          return found;
        },
      },
    );
    if (!program) throw compileError(diagnostics);
    const chain = chainAt(program, offset);
    const reply = await stagesReply({
      kind: "program",
      text,
      chain,
      imports,
      statics: {},
      seed: SEED,
      uniforms: {},
      place: { logits: logitsOf({ kind: "shape", ...logits }), history: [], picked: [] },
    });
    return { id, chain, reply };
  } catch (error) {
    const { message } = error as Error;
    const faults = error instanceof CompileError ? error.diagnostics.map((d) => d.message) : [message];
    return { id, fault: faults.join("\n") };
  }
}

/** The chain around an offset, or else the nearest one before it, or else the first. */
function chainAt({ main }: Program, offset: number): string {
  const chains = main.file.declarations.filter((d) => d.kind === "chain");
  const chosen = chains.filter(({ span }) => span.start <= offset).at(-1) ?? chains[0];
  if (!chosen) throw new Error("The program declares no chain: add one, such as `chain c = greedy()`.");
  return chosen.name.text;
}

parentPort!.on("message", (request: Request) => void answer(request).then((reply) => parentPort!.postMessage(reply)));

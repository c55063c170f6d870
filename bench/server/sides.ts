/** Starts the servers, with the same model, places, threads and template. */
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { ROOT } from "../tool.js";
import { startProcess, type ServerProcess } from "./process.js";
import { TEMPLATE, type Side } from "./work.js";

const MODEL = join(ROOT, "examples", "model", "demo-q8_0.gguf");
const GGSL = join(ROOT, "runtime", "dist", "cli", "main.js");
const LLAMA = join(ROOT, "build", "llama-server", "llama-server");
/** Texts at once, and the most tokens of each. */
const PLACES = 64;
const CONTEXT = 128;
const THREADS = Math.max(1, Math.floor(availableParallelism() / 2));

export function startSide(side: Side): Promise<ServerProcess> {
  const folder = join(ROOT, "build", "bench");
  const template = join(folder, "template.jinja");
  mkdirSync(folder, { recursive: true });
  writeFileSync(template, TEMPLATE);
  const threads = ["--threads", `${THREADS}`, "--threads-batch", `${THREADS}`];
  if (side === "ggsl") {
    const room = ["--sequences", `${PLACES}`, "--ctx-size", `${CONTEXT}`];
    const options = ["--port", "0", "--backend", "cpu", "--template", template, ...threads, ...room];
    return startProcess(process.execPath, [GGSL, "serve", MODEL, ...options], / at (http:\S+): /);
  }
  const room = ["--parallel", `${PLACES}`, "--ctx-size", `${PLACES * CONTEXT}`];
  // it would copy the prompts of texts that have ended
  const cache = ["--cache-ram", "0"];
  const options = [
    "--port",
    "0",
    "--offline",
    "--jinja",
    "--chat-template-file",
    template,
    ...threads,
    ...room,
    ...cache,
  ];
  const sampling = side === "llama, device" ? ["--backend-sampling"] : [];
  return startProcess(LLAMA, ["--model", MODEL, ...options, ...sampling], /listening on (http:\S+)/);
}

/** `ggsl conform`: does a server sample as a chain says? */
import { InvalidArgumentError, Option, type Command } from "commander";
import { picksToken } from "@ggsl/compiler/graph/tail.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { invalid } from "ggsl/core/errors.js";
import { lacksPick } from "ggsl/generation/request.js";
import { loadChain, type ChainOptions } from "../chain.js";
import { conformanceOf } from "../conform/conformance.js";
import { drawsByProbability } from "../conform/distribution.js";
import { conformanceJson, conformanceText } from "../conform/report.js";
import { Server } from "../conform/server.js";
import { endable } from "../ending.js";
import { MAX_BYTES, readText } from "../files.js";
import { progressLine } from "../progress.js";
import {
  atMost,
  collected,
  collectedJson,
  disableOption,
  jsonOption,
  natural,
  positive,
  rootOption,
  setOption,
  stagesOption,
  UsageError,
} from "../usage.js";

interface Options extends ChainOptions {
  readonly against: URL;
  readonly sampler?: string;
  readonly field?: Readonly<Record<string, unknown>>;
  readonly prompt?: readonly string[];
  readonly samples: number;
  readonly level: number;
  readonly logprobs: number;
  readonly seed: number;
  readonly texts: number;
  readonly requests: number;
  readonly keyFile?: string;
  readonly json?: true;
}

/** Places where several tokens are likely, for any model of English. */
const PROMPTS = [
  "In the beginning",
  "And it came to pass that",
  "The most important thing is",
  "She looked at the",
  "There was once a",
  "On the first day of the",
  "He said unto them,",
  "The name of the",
];

export const addConform = (command: Command): Command =>
  command
    .argument("[chain]", "the chain, if the file declares several")
    .addOption(
      new Option("--against <url>", "the server: http://HOST:PORT, with /v1 or without")
        .argParser(address)
        .makeOptionMandatory(),
    )
    .option("--sampler <file>", "the program that says how the server should sample; - is standard input")
    .addOption(stagesOption())
    .addOption(setOption())
    .addOption(rootOption())
    .addOption(disableOption())
    .option(
      "--field <name=value>",
      "a field of each request, in JSON or as a text, such as temperature=0.8 or model=NAME; repeatable",
      collectedJson(String.raw`\w+`),
    )
    .option("--prompt <text>", "a prompt whose next token is sampled; repeatable (default: 8 beginnings)", collected)
    .option("--samples <n>", "tokens in all", positive, 16_000)
    .option("--level <p>", "the server does not conform if chance gives such counts less often", level, 0.01)
    .option("--logprobs <n>", "likely tokens that the server is asked for, for each prompt", positive, 20)
    .option("--seed <n>", "the first seed of the requests", natural, 1)
    .option("--texts <n>", "texts of a request, `n` of its fields", atMost(128), 16)
    .option("--requests <n>", "requests at once", atMost(64), 4)
    .option("--key-file <file>", "the key that the server asks for")
    .addOption(jsonOption())
    .action((chain: string | undefined, options: Options) => endable((signal) => run(chain, options, signal)));

async function run(name: string | undefined, options: Options, signal: AbortSignal): Promise<void> {
  const { sampler, against, field: fields = {}, keyFile, json, seed, ...chainOptions } = options;
  if ((sampler === undefined) === (options.stages === undefined))
    throw new UsageError("expected either --sampler FILE or -e STAGES: how the server should sample");
  const { rowsGraph: graph } = loadChain(sampler, name, chainOptions);
  checkChain(graph);
  const key = keyFile === undefined ? undefined : readText(keyFile, MAX_BYTES.grammar).trim();
  const server = new Server({ url: against, key, fields, logprobs: options.logprobs, signal });
  const line = progressLine("sampling");
  try {
    const found = await conformanceOf({
      graph,
      server,
      prompts: options.prompt ?? PROMPTS,
      samples: options.samples,
      atOnce: { texts: options.texts, requests: options.requests },
      level: options.level,
      seed,
      onProgress: line.report,
      signal,
    });
    line.clear();
    process.stdout.write(json ? conformanceJson(found) : conformanceText(found));
    if (!found.conforms) process.exitCode = 1;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    line.clear();
  }
}

/** Throws `InputError` for a chain whose distribution does not follow from the probabilities of a list of tokens. */
function checkChain(graph: Graph): void {
  const { name, features } = graph;
  if (!picksToken(graph)) throw invalid(lacksPick(name));
  if (graph.tail.length > 0)
    throw invalid(
      `the chain \`${name}\` has host stages, whose distribution is not known: use those of the standard library`,
    );
  if (features.length > 0)
    throw invalid(
      `the chain \`${name}\` reads the text, or inputs, of which the server tells nothing: test a chain without these stages, with requests that have them off`,
    );
  if (!drawsByProbability(graph))
    throw invalid(
      `the chain \`${name}\` does not draw a token by its probabilities, once: end it with \`dist()\`, and leave out stages that draw themselves`,
    );
}

function address(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new InvalidArgumentError("Expected an address such as http://127.0.0.1:8080.");
}

function level(text: string): number {
  const value = Number(text);
  if (value > 0 && value < 1) return value;
  throw new InvalidArgumentError("Expected a number between 0 and 1.");
}

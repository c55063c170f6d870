/** The worker: compiles and evaluates, so that the page stays responsive and can stop a program that takes too long. */
import "../dispose.js";
import { CompileError } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { InputError } from "ggsl/core/errors.js";
import { openBackend } from "./backend.js";
import { checkText } from "./check.js";
import { graphReply } from "./graphs.js";
import { hoverReply, signatureReply } from "./help.js";
import { languageTables } from "./language.js";
import { READY, type Answer, type Kind, type Question, type Requests } from "./messages.js";
import { previewReply } from "./preview.js";
import { specReply } from "./spec.js";
import { stagesReply } from "./stages.js";
import { walkReply } from "./walk.js";

type Handlers = {
  readonly [K in Kind]: (request: Requests[K]["request"]) => Requests[K]["reply"] | Promise<Requests[K]["reply"]>;
};

const HANDLERS: Handlers = {
  language: languageTables,
  check: checkText,
  stages: stagesReply,
  walk: walkReply,
  graph: graphReply,
  spec: specReply,
  hover: hoverReply,
  signature: signatureReply,
  preview: previewReply,
};

async function answer({ id, kind, request }: Question): Promise<Answer> {
  try {
    return { id, reply: await (HANDLERS[kind] as (r: unknown) => Promise<Requests[Kind]["reply"]>)(request) };
  } catch (error) {
    const { message, code } = error as Error & { code?: unknown };
    const isInput = error instanceof InputError || error instanceof CompileError || code !== undefined;
    return { id, error: message, isInput };
  }
}

self.onmessage = ({ data }: MessageEvent<Question>) => {
  void answer(data).then((reply) => self.postMessage(reply));
};
// the time limits of requests begin when everything is there
void openBackend().then(() => self.postMessage(READY));

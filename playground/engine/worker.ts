/** The worker: compiles and evaluates, so that the page stays responsive and can stop a program that takes too long. */
import "../dispose.js";
import { answerRequests, webPort, type WebPort } from "ggsl/core/requests.js";
import { openBackend } from "./backend.js";
import { checkText } from "./check.js";
import { languageTables } from "./language.js";
import type { Kind, Question, Reply, Requests } from "./messages.js";
import { previewReply } from "./preview.js";
import { specReply } from "./spec.js";
import { stagesReply } from "./stages.js";
import { walkReply } from "./walk.js";

type Handlers = {
  readonly [K in Kind]: (request: Requests[K]["request"]) => Requests[K]["reply"] | Promise<Requests[K]["reply"]>;
};

/** What the first pictures do not need is read when it is first asked for. */
const graphs = () => import("./graphs.js");
const help = () => import("./help.js");

const HANDLERS: Handlers = {
  language: languageTables,
  check: checkText,
  stages: stagesReply,
  walk: walkReply,
  graph: async (request) => (await graphs()).graphReply(request),
  spec: specReply,
  hover: async (request) => (await help()).hoverReply(request),
  signature: async (request) => (await help()).signatureReply(request),
  preview: previewReply,
};

const answer = ({ kind, request }: Question): Reply | Promise<Reply> =>
  (HANDLERS[kind] as (r: unknown) => Reply | Promise<Reply>)(request);

// the time limits of requests begin when everything is there
void openBackend().then(() => answerRequests(webPort(self as unknown as WebPort), answer));

/** The form of errors of paths that are no route: that of the API whose client asks there. */
import { anthropicErrors } from "./anthropic/errors.js";
import type { ErrorForm } from "./api.js";
import { ollamaErrors } from "./ollama/errors.js";
import { openAIErrors } from "./openai/api.js";

const BY_START: readonly (readonly [start: string, errors: ErrorForm])[] = [
  ["/v1/messages", anthropicErrors],
  ["/api/", ollamaErrors],
];

export const errorsFor = (path: string): ErrorForm =>
  BY_START.find(([start]) => path.startsWith(start))?.[1] ?? openAIErrors;

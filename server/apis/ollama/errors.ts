/** Errors in Ollama's form: a text. */
import type { ErrorForm } from "../api.js";

/** With the members that errors of this server have, such as `param` and `code`, beside it. */
export const ollamaErrors: ErrorForm = (refusal, request) => {
  const { message, type: _, ...more } = refusal.body.error;
  return { error: message, ...more, ...(request !== undefined && { request_id: request }) };
};

/** Errors in Anthropic's form. */
import type { ErrorForm } from "../api.js";

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  503: "overloaded_error",
};

/** With the members that errors of this server have beside its message, such as `param` and `code`. */
export const anthropicErrors: ErrorForm = (refusal, request) => {
  const { message, type: _, ...more } = refusal.body.error;
  return {
    type: "error",
    error: { type: TYPES[refusal.status] ?? "invalid_request_error", message, ...more },
    ...(request !== undefined && { request_id: request }),
  };
};

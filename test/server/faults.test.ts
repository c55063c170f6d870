/** Errors of the runtime and of the system as refusals: what clients are told of them, and what only the log has. */
import { describe, expect, test } from "@jest/globals";
import { InputError, type InputErrorCode } from "../../runtime/core/errors.js";
import { refusalFor } from "../../server/faults.js";
import { REFUSALS, Refusal, type RefusalReason } from "../../server/refusal.js";

const thrown = (code: InputErrorCode): InputError => new InputError("what is wrong", { code });

test.each<[InputErrorCode, RefusalReason]>([
  ["INVALID_ARGUMENT", "invalid_request"],
  ["LIMIT_EXCEEDED", "invalid_request"],
  ["CONTEXT_FULL", "context_length_exceeded"],
  ["NO_CANDIDATE", "sampler_failed"],
  ["INVALID_LOGITS", "sampler_failed"],
  ["BUSY", "grammars_busy"],
  ["DISPOSED", "shutting_down"],
  ["OUT_OF_MEMORY", "model_failed"],
  ["COMPUTE_FAILED", "model_failed"],
  ["ENGINE_FAILED", "model_failed"],
  ["LOST_SERVER", "model_lost"],
])("%s is %s", (code, reason) => {
  const refusal = refusalFor(thrown(code), "messages");
  expect([refusal.reason, refusal.status, refusal.type]).toEqual([
    reason,
    REFUSALS[reason].status,
    REFUSALS[reason].type,
  ]);
  const { error } = refusal.body;
  expect(error).toMatchObject({ code: reason, param: "messages" });
  // faults of the server: their text is for the log
  const isOwn = reason === "model_failed" || reason === "model_lost";
  expect(error.message.includes("what is wrong")).toBe(!isOwn);
  expect(refusal.cause !== undefined).toBe(isOwn);
});

describe("what is no fault of a request", () => {
  test.each(["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "ERR_WORKER_INIT_FAILED"])(
    "%s, also as a cause, is out_of_resources",
    (code) => {
      const lack = Object.assign(new Error("/etc/secret"), { code });
      for (const error of [
        lack,
        new Error("it failed", { cause: new InputError("x", { code: "NOT_READY", cause: lack }) }),
      ]) {
        const refusal = refusalFor(error);
        expect([refusal.reason, refusal.status, refusal.headers]).toEqual([
          "out_of_resources",
          503,
          { "retry-after": "5" },
        ]);
        expect(refusal.message).not.toContain("secret");
      }
    },
  );

  test.each([new TypeError("in /home/x"), "a text", undefined, null, thrown("NOT_READY")])("%p", (error) => {
    const refusal = refusalFor(error);
    expect([refusal.reason, refusal.status, refusal.message]).toEqual(["internal_error", 500, "the server failed"]);
    expect(refusal.cause).toBe(error);
  });

  test("a refusal is itself", () => {
    const refusal = new Refusal("queue_full", "full");
    expect(refusalFor(refusal)).toBe(refusal);
  });
});

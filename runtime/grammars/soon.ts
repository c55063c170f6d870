/** Calls that answer at once or later. */

/** What a call gives; what it throws is a rejection. */
export function soon(call: () => Promise<void> | undefined): Promise<void> | undefined {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return Promise.reject(error);
  }
}

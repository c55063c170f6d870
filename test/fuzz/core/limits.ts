/** What a case may cost. */

/** Processor time of a case, in seconds, unless its generator says otherwise: waiting for other processes does not count. */
export const SECONDS = 1;

/** Growth of the worker's memory during a case, in bytes, unless its generator says otherwise. */
export const BYTES = 500 * 2 ** 20;

/** A case that takes this many times its processor time is ended. */
export const HANGS = 4;

/** How long to wait for a case that takes no processor time, in seconds. */
export const PATIENCE = 60;

/** A worker with more memory than this is replaced before the next case, in bytes. */
export const WORN = 2 ** 30;

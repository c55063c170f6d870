/** What the process that has a model on workers is asked: calls of the addon, in order. */

/** An object of the child: 0 is the addon. */
export interface Handle {
  readonly $: number;
}

export interface Call {
  readonly on: number;
  /** A method, a member, or `new Graph`. */
  readonly call: string;
  readonly args?: readonly unknown[];
  /** The result is kept under this number. */
  readonly as?: number;
}

/** It is answered with the results of the calls; those that are kept are undefined. Notes are the part of the model that is loaded. */
export interface CallsRequest {
  readonly calls: readonly Call[];
  /** Objects that are no longer needed. */
  readonly forget?: readonly number[];
}

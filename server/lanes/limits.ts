/** What a lane may have at once; more of it waits. */
export interface LaneLimits {
  readonly requests: number;
  readonly texts: number;
  /** That its texts can have together, with their prompts. */
  readonly tokens: number;
}

export const LANE_LIMITS = ["requests", "texts", "tokens"] as const satisfies readonly (keyof LaneLimits)[];

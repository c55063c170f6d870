/** What this package needs of a logger; Fastify's is one. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** For a server without a log. */
export const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Requests to the `ggsl serve` that the page is from. The key is kept in memory only. */

/** What the server refuses, as a text for the user. */
export class ServerError extends Error {
  override readonly name = "ServerError";
}

interface Refused {
  readonly error?: {
    readonly message?: string;
    readonly diagnostics?: readonly {
      readonly severity: string;
      readonly code: string;
      readonly message: string;
      readonly line?: number;
      readonly column?: number;
      readonly help?: string;
    }[];
  };
}

type Init = Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> };

/** What a worker needs to ask the server that its page is from. */
export interface Access {
  readonly base: string;
  readonly key?: string;
}

export class Connection {
  private key = "";

  /**
   * @param needsKey whether it asks for a key
   * @param isOwn whether it is there for this page alone
   * @param base the address that paths are relative to; in a page, that of the page
   */
  constructor(
    readonly needsKey: boolean,
    readonly isOwn: boolean,
    private readonly base = "",
  ) {}

  /** The same one for a worker, whose own address is another. */
  get access(): Access {
    return { base: new URL(".", location.href).href, ...(this.needsKey && { key: this.key }) };
  }

  static of({ base, key }: Access): Connection {
    const connection = new Connection(key !== undefined, false, base);
    connection.setKey(key ?? "");
    return connection;
  }

  setKey(key: string): void {
    this.key = key;
  }

  /** Whether it has the key that the server asks for, if any. */
  get isReady(): boolean {
    return !this.needsKey || this.key !== "";
  }

  async get<T>(path: string): Promise<T> {
    return (await (await this.ask(path, {})).json()) as T;
  }

  /** Rejects with `ServerError` for a refusal. */
  post(path: string, body: object, { signal, accept }: { signal: AbortSignal; accept: string }): Promise<Response> {
    const headers = { "content-type": "application/json", accept };
    return this.ask(path, { method: "POST", body: JSON.stringify(body), signal, headers });
  }

  private async ask(path: string, init: Init): Promise<Response> {
    if (!this.isReady) throw new ServerError("The server asks for an API key: enter it at the top of the page.");
    const headers = { ...init.headers, ...(this.needsKey && { authorization: `Bearer ${this.key}` }) };
    let response: Response;
    try {
      response = await fetch(`${this.base}${path}`, { ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new ServerError("The server does not answer: check that it runs, and try again.");
    }
    if (response.ok) return response;
    const body = (await response.json().catch(() => ({}))) as Refused;
    const after = response.headers.get("retry-after");
    const again = after === null ? "" : `\nTry again in ${after} s.`;
    throw new ServerError(`The server refuses (${response.status}): ${refusalText(body)}${again}`);
  }
}

/** The message, or the diagnostics as the page shows its own. */
export function refusalText({ error: { message = "it gives no reason", diagnostics = [] } = {} }: Refused): string {
  const lines = diagnostics.map(({ severity, code, line, column, help, ...one }) => {
    const place = line === undefined ? "" : `${line}:${column} `;
    return `${place}${severity} ${code}: ${one.message}${help === undefined ? "" : `\nhelp: ${help}`}`;
  });
  return lines.length > 0 ? `\n${lines.join("\n")}` : message;
}

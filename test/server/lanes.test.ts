/** Whose request it is: addresses, proxies that name them, and turns by lane on a server without keys. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { canonicalAddress, networkOf } from "../../server/lanes/address.js";
import { laneOf } from "../../server/lanes/lane.js";
import { Proxies } from "../../server/lanes/proxies.js";
import type { ApiKey } from "../../server/keys/keys.js";
import { open, postFrom, type Opened } from "./open.js";

describe("addresses", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:0201", "192.0.2.1"],
    ["2001:DB8::1", "2001:db8:0:0:0:0:0:1"],
    ["2001:0db8:0:0:1::", "2001:db8:0:0:1:0:0:0"],
    ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"],
    ["::", "0:0:0:0:0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0:0:0:0:1"],
    ["192.0.2.256", undefined],
    ["localhost", undefined],
    ["", undefined],
  ])("%j is %j", (text, address) => {
    expect(canonicalAddress(text)).toBe(address);
  });

  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:0:7:1:2:3:4", "2001:db8:0:7::/64"],
  ])("%j counts as %j", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe("lanes", () => {
  const laneFor = (id: string | undefined, client: string): string =>
    laneOf({ key: (id === undefined ? undefined : { id }) as ApiKey, client });

  test("are of the key, else of the network of the address", () => {
    const [first, neighbour, other] = ["2001:db8:0:7:0:0:0:1", "2001:db8:0:7:9:9:9:9", "2001:db8:0:8:0:0:0:1"];
    expect(laneFor("anonymous", first)).toBe(laneFor(undefined, neighbour));
    expect(laneFor("anonymous", first)).not.toBe(laneFor("anonymous", other));
    expect(laneFor("1f", first)).toBe(laneFor("1f", other));
    expect(new Set(["1f", "2f", "anonymous"].map((id) => laneFor(id, first))).size).toBe(3);
  });
});

describe("proxies", () => {
  const proxies = new Proxies(["10.0.0.0/8", "127.0.0.1", "fd00::/8", "::ffff:192.0.2.0/120"]);
  const clientOf = (peer: string, forwardedFor?: string, forwarded?: string): string =>
    proxies.clientOf(peer, {
      ...(forwardedFor !== undefined && { "x-forwarded-for": forwardedFor }),
      ...(forwarded !== undefined && { forwarded }),
    });

  test.each([
    // a stranger's headers are his own
    ["198.51.100.9", "203.0.113.5", undefined, "198.51.100.9"],
    ["198.51.100.9", undefined, "for=203.0.113.5", "198.51.100.9"],
    ["127.0.0.1", undefined, undefined, "127.0.0.1"],
    ["127.0.0.1", "", undefined, "127.0.0.1"],
    ["127.0.0.1", "203.0.113.5", undefined, "203.0.113.5"],
    ["::ffff:127.0.0.1", "203.0.113.5", undefined, "203.0.113.5"],
    // what stands before the first stranger was written by him
    ["127.0.0.1", "1.1.1.1, 203.0.113.5", undefined, "203.0.113.5"],
    ["127.0.0.1", "1.1.1.1, 203.0.113.5, 10.1.2.3", undefined, "203.0.113.5"],
    ["127.0.0.1", "10.9.9.9, 203.0.113.5, 10.1.2.3,192.0.2.77", undefined, "203.0.113.5"],
    ["127.0.0.1", "10.9.9.9", undefined, "10.9.9.9"],
    // what names nobody ends the way
    ["127.0.0.1", "203.0.113.5, unknown", undefined, "127.0.0.1"],
    ["127.0.0.1", "203.0.113.5, unknown, 10.1.2.3", undefined, "10.1.2.3"],
    ["127.0.0.1", `${"x".repeat(9000)},203.0.113.5`, undefined, "203.0.113.5"],
    ["127.0.0.1", "203.0.113.5:4711", undefined, "203.0.113.5"],
    ["127.0.0.1", "[2001:db8::5]:4711, fd00::1", undefined, "2001:db8:0:0:0:0:0:5"],
    ["127.0.0.1", undefined, 'for="[2001:db8::5]:4711";proto=https, For = 10.1.2.3', "2001:db8:0:0:0:0:0:5"],
    ["127.0.0.1", undefined, "for=_hidden, for=203.0.113.5", "203.0.113.5"],
    ["127.0.0.1", undefined, "for=203.0.113.5, for=_hidden", "127.0.0.1"],
    ["127.0.0.1", undefined, "proto=https;by=203.0.113.5", "127.0.0.1"],
    // one of two that differ was written by the client, and it cannot be known which
    ["127.0.0.1", "203.0.113.5", "for=203.0.113.6", "127.0.0.1"],
    ["127.0.0.1", "203.0.113.5", "for=203.0.113.5", "203.0.113.5"],
  ])("%s with %j and %j is %s", (peer, forwardedFor, forwarded, client) => {
    expect(clientOf(peer, forwardedFor, forwarded)).toBe(client);
  });

  test("none are trusted without a list", () => {
    expect(new Proxies().clientOf("127.0.0.1", { "x-forwarded-for": "203.0.113.5" })).toBe("127.0.0.1");
  });

  test.each(["nginx", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "::/129", "10.0.0/8", "::ffff:10.0.0.0/8", ""])(
    "%j is no proxy",
    (text) => {
      const make = (): Proxies => new Proxies([text]);
      expect(make).toThrow(/a proxy is an address or a network/);
      expect(make).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
    },
  );
});

describe("compiling on a server without keys", () => {
  let server: Opened;
  beforeAll(async () => {
    server = await open({ trustProxy: ["127.0.0.3"] });
  });
  afterAll(() => server.close());

  const stages = (i: number): string => `${"temp(0.9) |> ".repeat(25)}top_k(${i + 1}) |> dist(${i})`;
  const flood = (
    from: string,
    headersOf: (i: number) => Readonly<Record<string, string>>,
    length: number,
  ): Promise<number[]> =>
    Promise.all(
      Array.from({ length }, async (_, i) => {
        const sent = { sampler: `${stages(i)} // ${from}` };
        return (await postFrom(from, `${server.url}/v1/samplers`, sent, headersOf(i))).status;
      }),
    );

  test("an address with many samplers is refused some, and another address none", async () => {
    const greedy = flood("127.0.0.1", () => ({}), 200);
    const modest: number[] = [];
    for (let i = 0; i < 8; i++) {
      const sampler = `top_k(${i + 1}) |> temp(0.5) |> dist()`;
      modest.push((await postFrom("127.0.0.2", `${server.url}/v1/samplers`, { sampler })).status);
    }
    expect(modest).toEqual(Array(8).fill(200));
    expect((await greedy).filter((status) => status === 429).length).toBeGreaterThan(0);
  });

  test("addresses that a trusted proxy names have lanes of their own; those that a stranger writes have not", async () => {
    const named = await flood("127.0.0.3", (i) => ({ "x-forwarded-for": `9.9.9.9, 203.0.113.${i}` }), 100);
    expect(named.filter((status) => status === 429)).toEqual([]);
    const forged = await flood("127.0.0.1", (i) => ({ "x-forwarded-for": `203.0.113.${i}` }), 100);
    expect(forged.filter((status) => status === 429).length).toBeGreaterThan(0);
  });
});

test("what is no proxy ends the start", async () => {
  await expect(open({ trustProxy: ["nginx"] })).rejects.toThrow(/found "nginx"/);
});

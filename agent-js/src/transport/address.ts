/** Parses the address of a bridge. */

import type { Encoding } from "../protocol/subscribe.js";

/** The address of a bridge without the token, so it is safe to show. */
export interface Address {
  readonly target: string;
  readonly encoding: Encoding;
}

/**
 * Parses `ws://HOST:PORT/v1` or `wss://…`. The path is optional. The query can have `encoding=…` and `token=…`. The
 * arguments override both. Throws RangeError.
 */
export function parseAddress(url: string | URL, encoding?: Encoding, token?: string): { address: Address; token: string | undefined } {
  const text = String(url);
  if (!URL.canParse(text) || !["ws:", "wss:"].includes(new URL(text).protocol)) {
    throw new RangeError(`${JSON.stringify(text)} is not a bridge's address: give ws(s)://HOST:PORT/v1`);
  }
  const parsed = new URL(text);
  if (parsed.username || parsed.password) {
    throw new RangeError("an address must not have a user or a password: use a token, by the option token or ?token=…");
  }
  const chosenEncoding = encoding ?? parsed.searchParams.get("encoding") ?? "proto";
  if (chosenEncoding !== "proto" && chosenEncoding !== "json") {
    throw new RangeError(`encoding ${JSON.stringify(chosenEncoding)}: choose proto or json`);
  }
  const chosenToken = token ?? parsed.searchParams.get("token") ?? undefined;
  parsed.searchParams.delete("encoding");
  parsed.searchParams.delete("token");
  parsed.hash = "";
  if (parsed.pathname === "/") {
    parsed.pathname = "/v1";
  }
  return { address: { target: parsed.href, encoding: chosenEncoding }, token: chosenToken };
}

/** Where a bridge is, and what is spoken with it. */

import type { Encoding } from "../protocol/subscribe.js";

/** A bridge's address, to show: it holds no token. */
export interface Address {
  readonly target: string;
  readonly encoding: Encoding;
}

/**
 * Takes apart `ws://HOST:PORT/v1` or `wss://…`; the path may be left out, and `?encoding=json` and `?token=…` may stand in it.
 * Throws RangeError.
 */
export function parseAddress(url: string | URL, encoding?: Encoding, token?: string): { address: Address; token: string | undefined } {
  const text = String(url);
  if (!URL.canParse(text) || !["ws:", "wss:"].includes(new URL(text).protocol)) {
    throw new RangeError(`${JSON.stringify(text)} is no bridge's address: give ws://HOST:PORT/v1, or by TLS wss://`);
  }
  const parsed = new URL(text);
  if (parsed.username || parsed.password) {
    throw new RangeError("an address has no user and no password: give a token");
  }
  const chosen = encoding ?? parsed.searchParams.get("encoding") ?? "proto";
  if (chosen !== "proto" && chosen !== "json") {
    throw new RangeError(`encoding ${JSON.stringify(chosen)}: choose proto or json`);
  }
  const shown = token ?? parsed.searchParams.get("token") ?? undefined;
  parsed.searchParams.delete("encoding");
  parsed.searchParams.delete("token");
  parsed.hash = "";
  if (parsed.pathname === "/") {
    parsed.pathname = "/v1";
  }
  return { address: { target: parsed.href, encoding: chosen }, token: shown };
}

import { WebSocket as NodeSocket } from "ws";

/** Opens a WebSocket: Node 20 has none of its own, and this one can be paused, so that a slow reader is one to the bridge. */
export function openSocket(url: string, protocol: string): WebSocket {
  return new NodeSocket(url, protocol, { perMessageDeflate: false }) as unknown as WebSocket;
}

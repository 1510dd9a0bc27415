import { WebSocket as NodeSocket } from "ws";

/** Opens a WebSocket of the library ws: Node 20 has none. It can be paused, so that the bridge notices a slow agent. */
export function openSocket(url: string, protocol: string): WebSocket {
  return new NodeSocket(url, protocol, { perMessageDeflate: false }) as unknown as WebSocket;
}

/** Opens a WebSocket of the browser. */
export function openSocket(url: string, protocol: string): WebSocket {
  return new WebSocket(url, protocol);
}

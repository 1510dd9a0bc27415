/** Opens a WebSocket: the browser's own. */
export function openSocket(url: string, protocol: string): WebSocket {
  return new WebSocket(url, protocol);
}

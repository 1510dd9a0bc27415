/** Does nothing: a browser uses JavaScript unless the page calls `useWasm`, because a Content-Security-Policy can forbid WebAssembly. */
export function chooseDecoder(): void {}

/** The package's errors. Each message is one line that names the problem and the remedy. */

/** The gRPC status codes that the bridge uses on every transport: https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
export const StatusCode = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** The base class of the package's errors. An invalid argument throws RangeError or TypeError instead. */
export class SC2BridgeError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** The bridge refused a request, or ended a subscription or a connection. */
export class BridgeError extends SC2BridgeError {
  /** @param code a gRPC status code, such as `StatusCode.RESOURCE_EXHAUSTED` */
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }

  /** gRPC's name of the code, such as `RESOURCE_EXHAUSTED`. */
  get codeName(): string {
    return Object.entries(StatusCode).find(([, code]) => code === this.code)?.[0] ?? `code ${this.code}`;
  }
}

/** The bridge cannot be reached, closed the connection, or was silent for too long. Connecting again may help. */
export class ConnectionLostError extends BridgeError {
  constructor(message: string) {
    super(StatusCode.UNAVAILABLE, message);
  }
}

/** The bridge did not answer a request in time (see `Timeouts.requestSeconds`). The connection still works. */
export class RequestTimeoutError extends BridgeError {
  constructor(message: string) {
    super(StatusCode.DEADLINE_EXCEEDED, message);
  }
}

/** A subscription or a connection was used after it was closed. */
export class ClosedError extends SC2BridgeError {}

/** Bytes or text that are not a valid message of the bridge. */
export class MalformedMessageError extends SC2BridgeError {}

/** The error for calls after `close()`. */
export function closedByClient(): ClosedError {
  return new ClosedError("the connection was closed by this client: connect again");
}

/** Converts a gRPC status code and the bridge's message to an error. */
export function bridgeError(code: number, message: string): BridgeError {
  return code === StatusCode.UNAVAILABLE ? new ConnectionLostError(message) : new BridgeError(code, message);
}

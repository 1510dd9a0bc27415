/** What can go wrong. Each message is one line that names what to do. */

/** Those of gRPC's status codes that the bridge uses, over every transport: https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
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

/** Every error of the package's own. A wrong argument is a RangeError or TypeError. */
export class SC2BridgeError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** The bridge refused or ended something. */
export class BridgeError extends SC2BridgeError {
  /** @param code a gRPC status code, such as `StatusCode.RESOURCE_EXHAUSTED` */
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** The bridge cannot be reached, or is gone, or silent for too long. To connect again may help. */
export class ConnectionLostError extends BridgeError {
  constructor(message: string) {
    super(StatusCode.UNAVAILABLE, message);
  }
}

/** The bridge lives, and did not answer a request in time: see `Timeouts.requestSeconds`. */
export class RequestTimeoutError extends BridgeError {
  constructor(message: string) {
    super(StatusCode.DEADLINE_EXCEEDED, message);
  }
}

/** Bytes or text that are no message of the bridge's. */
export class MalformedMessageError extends SC2BridgeError {}

/** What is asked of a connection after `close()`. */
export function closedHere(): ConnectionLostError {
  return new ConnectionLostError("the connection was closed here");
}

/** A status as an error. */
export function bridgeError(code: number, message: string): BridgeError {
  return code === StatusCode.UNAVAILABLE ? new ConnectionLostError(message) : new BridgeError(code, message);
}

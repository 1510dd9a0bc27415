/** Random access to a recording's bytes: a file, a buffer, or an address that a server answers in ranges or as a whole. */

import { SC2BridgeError } from "../errors.js";
import { LIMITS } from "./records.js";

export interface ByteSource {
  /** For messages. */
  readonly name: string;
  readonly size: number;
  /** The whole file, if its server supports no ranges. */
  readonly blob?: Blob;
  /** Exactly these bytes. The range must end at or before `size`. Throws SC2BridgeError if they cannot be read. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

export type RecordingSource = Blob | ArrayBuffer | Uint8Array | URL | string;

/** Opens a source. Throws SC2BridgeError if it cannot be read, TypeError if it is not a source. */
export async function openSource(source: RecordingSource): Promise<ByteSource> {
  if (typeof source === "string" || source instanceof URL) {
    return openUrl(new URL(source, globalThis.location?.href));
  }
  if (source instanceof Blob) {
    return ofBlob(source, (source as Partial<File>).name ?? "the recording");
  }
  const bytes = source instanceof Uint8Array ? source : new Uint8Array(source);
  return { name: "the recording", size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
}

function ofBlob(blob: Blob, name: string): ByteSource {
  const read = async (offset: number, length: number) => {
    try {
      return new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer());
    } catch (error) {
      throw new SC2BridgeError(`${name} cannot be read: it was moved or changed, so open it again`, { cause: error });
    }
  };
  return { name, size: blob.size, read };
}

/** The text of a part of an address. A stray percent sign stays. */
function nameOf(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Reads the content of an answer. Throws SC2BridgeError at the first part above the limit. */
async function wholeOf(answer: Response, name: string): Promise<Blob> {
  const reader = answer.body?.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = Number(answer.headers.get("Content-Length") ?? 0);
  for (let read = 0, isDone = !reader; !isDone && size <= LIMITS.download; ) {
    const { done, value } = await reader!.read().catch((error: unknown) => {
      throw new SC2BridgeError(`${name} cannot be fetched: the connection ended`, { cause: error });
    });
    isDone = done;
    if (value) {
      parts.push(value);
      read += value.length;
      size = Math.max(size, read);
    }
  }
  if (size > LIMITS.download) {
    await reader?.cancel().catch(() => {});
    throw new SC2BridgeError(
      `${name} has more than ${LIMITS.download >> 20} MiB, and its server sends no ranges of it: use a server that does, or download the file and open it here`,
    );
  }
  return new Blob(parts);
}

async function openUrl(url: URL): Promise<ByteSource> {
  const name = nameOf(url.pathname.split("/").at(-1) || url.host);
  const ask = async (range: string, version: string | null) => {
    const headers = { Range: `bytes=${range}`, ...(version === null ? {} : { "If-Range": version }) };
    try {
      return await fetch(url, { headers });
    } catch (error) {
      throw new SC2BridgeError(`${name} cannot be fetched from ${url.origin}: the server is gone, or does not allow this page`, { cause: error });
    }
  };
  const first = await ask("0-0", null);
  const size = Number(/^bytes 0-0\/(\d+)$/.exec(first.headers.get("Content-Range") ?? "")?.[1] ?? NaN);
  if (first.status === 206 && Number.isSafeInteger(size)) {
    await first.body?.cancel();
    const tag = first.headers.get("ETag");
    const version = tag?.startsWith("W/") ? first.headers.get("Last-Modified") : (tag ?? first.headers.get("Last-Modified"));
    const read = async (offset: number, length: number) => {
      if (!length) {
        return new Uint8Array(0);
      }
      const answer = await ask(`${offset}-${offset + length - 1}`, version);
      const bytes = answer.status === 206 ? new Uint8Array(await answer.arrayBuffer()) : undefined;
      if (bytes?.length !== length) {
        await answer.body?.cancel().catch(() => {});
        throw new SC2BridgeError(`${name} has changed on its server (status ${answer.status}): open it again`);
      }
      return bytes;
    };
    return { name, size, read };
  }
  if (first.status === 200) {
    const blob = await wholeOf(first, name);
    return { ...ofBlob(blob, name), blob };
  }
  // A range of an empty file cannot be satisfied.
  if (first.status === 416 && first.headers.get("Content-Range") === "bytes */0") {
    return ofBlob(new Blob([]), name);
  }
  throw new SC2BridgeError(`${name} cannot be fetched: its server answered with status ${first.status}`);
}

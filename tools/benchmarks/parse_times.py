"""How long Python's protobuf takes to parse the benchmark's frames: reported beside delivery, which ends on receipt.

    parse_times.py DESCRIPTOR_SET FRAME_FILE...

Prints one line of JSON: which runtime, and the milliseconds of each parse, the files in rotation.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import google.protobuf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal import api_implementation

MESSAGE = "SC2APIProtocol.ResponseObservation"
WARM_UP, ROUNDS = 3, 20


def main(descriptors: str, files: list[str]) -> None:
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(Path(descriptors).read_bytes()).file:
        pool.AddSerializedFile(file.SerializeToString())
    descriptor = pool.FindMessageTypeByName(MESSAGE)
    if hasattr(message_factory, "GetMessageClass"):
        kind = message_factory.GetMessageClass(descriptor)
    else:  # before 4.22
        kind = message_factory.MessageFactory(pool).GetPrototype(descriptor)
    frames = [Path(file).read_bytes() for file in files]
    times = []
    for turn in range(WARM_UP + ROUNDS):
        for frame in frames:
            began = time.perf_counter_ns()
            kind.FromString(frame)
            if turn >= WARM_UP:
                times.append((time.perf_counter_ns() - began) / 1e6)
    runtime = f"protobuf {google.protobuf.__version__} ({api_implementation.Type()})"
    print(json.dumps({"runtime": runtime, "parse_ms": times}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

"""Reads an MCAP file with the package `mcap` and checks every CRC. Writes its content with the package's writer, in
every form that it has, each into a file of a folder. Prints the forms as a JSON list."""

import json
import pathlib
import sys
from typing import Any

from mcap.reader import make_reader
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, IndexType, Writer

FORMS: dict[str, dict[str, Any]] = {
    "usual": {},
    "no compression": {"compression": CompressionType.NONE},
    "lz4": {"compression": CompressionType.LZ4},
    "no chunks": {"use_chunking": False},
    "no chunks, no summary": {
        "use_chunking": False,
        "index_types": IndexType.NONE,
        "repeat_channels": False,
        "repeat_schemas": False,
        "use_statistics": False,
        "use_summary_offsets": False,
    },
    "no indexes": {"index_types": IndexType.NONE},
    "chunk indexes only": {"index_types": IndexType.CHUNK, "use_statistics": False},
    "message indexes only": {"index_types": IndexType.MESSAGE, "use_statistics": False},
    "nothing repeated": {"repeat_channels": False, "repeat_schemas": False, "use_statistics": False},
    "no CRCs": {"enable_crcs": False},
    "data CRC": {"enable_data_crcs": True},
    "tiny chunks": {"chunk_size": 1},
    "tiny chunks, no compression": {"chunk_size": 1, "compression": CompressionType.NONE},
    "one chunk": {"chunk_size": 1 << 30},
}


def rewrite(source: str, target: pathlib.Path, options: dict[str, Any]) -> None:
    with open(source, "rb") as file, open(target, "wb") as output:
        reader = make_reader(file, validate_crcs=True)
        writer = Writer(output, **{"chunk_size": 5000, **options})
        writer.start("other", "written by others")
        for attachment in reader.iter_attachments():
            writer.add_attachment(
                attachment.create_time, attachment.log_time, attachment.name, attachment.media_type, attachment.data
            )
        for metadata in reader.iter_metadata():
            writer.add_metadata(metadata.name, metadata.metadata)
        schemas: dict[int, int] = {}
        channels: dict[int, int] = {}
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            assert schema is not None
            if schema.id not in schemas:
                schemas[schema.id] = writer.register_schema(schema.name, schema.encoding, schema.data)
            if channel.id not in channels:
                channels[channel.id] = writer.register_channel(
                    channel.topic, channel.message_encoding, schemas[schema.id], channel.metadata
                )
            writer.add_message(
                channels[channel.id], message.log_time, message.data, message.publish_time, message.sequence
            )
        writer.finish()


def main() -> None:
    source, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    with open(source, "rb") as file:
        records = sum(1 for _ in StreamReader(file, validate_crcs=True).records)
    assert records > 0
    for name, options in FORMS.items():
        rewrite(source, folder / f"{name}.mcap", options)
    print(json.dumps(list(FORMS)))


if __name__ == "__main__":
    main()

"""Reads MCAP files completely with the package `mcap`, with the index and as a stream, checks every CRC, and parses
every protobuf message with `mcap-protobuf-support`. Prints the content of each file as one JSON list."""

import json
import sys
import zlib
from typing import Any

from mcap.reader import make_reader
from mcap.records import Attachment, Channel, Header, Message, Metadata, Schema
from mcap.stream_reader import StreamReader
from mcap_protobuf.decoder import DecoderFactory


class Contents:
    """The content of a file, which both ways of reading must return."""

    def __init__(self) -> None:
        self.header: Any = None
        self.channels: dict[str, list[Any]] = {}
        self.attachments: list[list[Any]] = []
        self.metadata: list[list[Any]] = []
        self.messages: dict[str, list[list[Any]]] = {}
        self.parsed = 0
        self._decoders = DecoderFactory()

    def set_header(self, header: Header) -> None:
        self.header = [header.profile, header.library]

    def add_channel(self, channel: Channel, schema: Schema | None) -> None:
        name = schema.name if schema else ""
        self.channels[channel.topic] = [name, channel.message_encoding, channel.metadata]

    def add_attachment(self, attachment: Attachment) -> None:
        data = attachment.data
        times = [str(attachment.log_time), str(attachment.create_time)]
        self.attachments.append([attachment.name, attachment.media_type, *times, len(data), zlib.crc32(data)])

    def add_metadata(self, metadata: Metadata) -> None:
        self.metadata.append([metadata.name, metadata.metadata])

    def add_message(self, schema: Schema | None, channel: Channel, message: Message) -> None:
        times = [str(message.log_time), str(message.publish_time)]
        row = [message.sequence, *times, len(message.data), zlib.crc32(message.data)]
        self.messages.setdefault(channel.topic, []).append(row)
        decoder = self._decoders.decoder_for(channel.message_encoding, schema)
        if decoder:
            parsed = decoder(message.data)
            if parsed.SerializeToString(deterministic=True) != message.data:
                raise ValueError(f"{channel.topic} {message.sequence} is another message when it is parsed")
            self.parsed += 1

    def to_json(self) -> dict[str, Any]:
        shown = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return shown


def indexed(path: str) -> Contents:
    contents = Contents()
    with open(path, "rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert summary and summary.statistics
        contents.set_header(reader.get_header())
        for channel in summary.channels.values():
            contents.add_channel(channel, summary.schemas.get(channel.schema_id))
        for attachment in reader.iter_attachments():
            contents.add_attachment(attachment)
        for metadata in reader.iter_metadata():
            contents.add_metadata(metadata)
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            contents.add_message(schema, channel, message)
        assert summary.statistics.message_count == sum(map(len, contents.messages.values()))
    return contents


def streamed(path: str) -> Contents:
    contents = Contents()
    schemas: dict[int, Schema] = {}
    channels: dict[int, Channel] = {}
    with open(path, "rb") as file:
        for record in StreamReader(file, validate_crcs=True).records:
            if isinstance(record, Header):
                contents.set_header(record)
            elif isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel):
                channels[record.id] = record
                contents.add_channel(record, schemas.get(record.schema_id))
            elif isinstance(record, Attachment):
                contents.add_attachment(record)
            elif isinstance(record, Metadata):
                contents.add_metadata(record)
            elif isinstance(record, Message):
                channel = channels[record.channel_id]
                contents.add_message(schemas.get(channel.schema_id), channel, record)
    return contents


def main() -> None:
    found = [{"indexed": indexed(path).to_json(), "streamed": streamed(path).to_json()} for path in sys.argv[1:]]
    print(json.dumps(found))


if __name__ == "__main__":
    main()

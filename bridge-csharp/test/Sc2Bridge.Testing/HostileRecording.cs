using System.IO.Hashing;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.V1;

namespace Sc2Bridge.Testing;

/// <summary>Recordings that were made to need much memory. Most files are a few kilobytes or megabytes, but their content is gigabytes.</summary>
public sealed class HostileRecording : IDisposable
{
    private const ushort Observations = 1;
    private const ushort Match = 2;
    private const ushort Other = 100;
    private const int ChunkBytes = 16 << 20;

    private static readonly Dictionary<string, string> NoTexts = [];
    private static readonly Dictionary<string, (Action<HostileRecording> Write, string Refusal)> All = new()
    {
        ["a chunk of 1 GiB"] = (file => file.Chunk(Message(Observations), (1 << 30) / 31), "a chunk of 1073741823 bytes is longer than the 17825792 that are read"),
        ["a chunk that claims 8 EiB"] = (file => file.Chunk(Message(Observations), size: long.MaxValue), "a chunk of 9223372036854775807 bytes"),
        ["the shortest messages"] = (file => file.Chunks(2, _ => Message(Observations)), ""),
        ["many messages of another channel in each chunk"] = (OtherChannels, ""),
        ["many messages outside of chunks"] = (Runs, ""),
        ["long messages"] = (file => file.Chunk(Message(Observations, new byte[(16 << 20) + 1])), "a message of 16777217 bytes is longer than the 16777216 that are read"),
        ["gaps in /match"] = (Gaps, "it has more than 10000 gaps"),
        ["gaps between steps"] = (Steps, "it has more than 10000 gaps"),
        ["metadata"] = (Metadata, TooMuchIndex),
        ["attachments"] = (Attachments, TooMuchIndex),
        ["chunks"] = (file => EmptyChunks(file, 200_000), TooMuchIndex),
        ["indexes of chunks"] = (ChunkIndexes, TooMuchIndex),
        ["indexes of one chunk"] = (OverlappingIndexes, "the summary lists a chunk at an impossible position"),
        ["damaged chunks"] = (DamagedChunks, "a chunk is damaged"),
        ["statistics"] = (Statistics, ""),
        ["a long summary"] = (LongSummary, "a summary of 20971529 bytes is longer than the 16777216 that are read"),
        ["a long header"] = (LongHeader, "a header of 2097160 bytes is longer than the 1048576 that are read"),
        ["a record that claims 4 EiB"] = (HugeLength, "the data does not end where it should"),
        ["a text that claims 4 GiB"] = (HugeText, "a field has 4294967295 bytes"),
        ["channels"] = (Channels, ""),
        ["perspectives"] = (Perspectives, "it has more than 16 perspectives"),
        ["perspectives that are far apart"] = (PerspectivesApart, ""),
        ["schemas in chunks"] = (Schemas, "a record of 15728663 bytes is longer than the 1048576 that are read"),
        ["many schemas in chunks"] = (ManySchemas, TooMuchIndex),
        ["texts of channels"] = (ChannelTexts, TooMuchIndex),
        ["a long attachment"] = (file => file.Attach("data", new byte[17 << 20]), "an attachment of 17825832 bytes is longer than the 16777216 that are read"),
        ["empty unit types in data"] = (file => file.Attach(RecordingFormat.Data, Repeat([UnitTypesOfData, 0], 2 << 20)), ""),
        ["empty players in the match"] = (Players, "a message would take more than 50331648 bytes of memory"),
        ["empty units in observations"] = (file => Units(file, 4_000_000), ""),
        ["empty units in short observations"] = (file => Units(file, 110_000), ""),
        ["requests"] = (Requests, ""),
        ["blocks in an analysis"] = (Blocks, ""),
        ["fights everywhere"] = (Fights, ""),
    };

    private const string TooMuchIndex = "take more than 33554432 bytes of memory";
    private const byte UnitTypesOfData = (ResponseData.UnitsFieldNumber << 3) | 2;

    private readonly FileStream _file;
    private readonly ZstdCompressor _zstd = new();
    private readonly MessageBuffer _record = MessageBuffer.Rent();
    private bool _isFinished;

    private HostileRecording(string path)
    {
        _file = File.Create(path);
        Begin(RecordingFormat.Library);
    }

    /// <summary>The names of all cases.</summary>
    public static IEnumerable<string> Names => All.Keys;

    /// <summary>The error that <c>inspect</c> reports for a recording. Empty if it can be read.</summary>
    public static string Refusal(string name) => All[name].Refusal;

    /// <summary>Writes a recording.</summary>
    public static void Write(string name, string path)
    {
        using var file = new HostileRecording(path);
        All[name].Write(file);
        if (!file._isFinished)
        {
            file.Chunk([.. Message(Observations, sequence: 0), .. Message(Observations, sequence: 1)]);
            file.FinishWith(_ => { });
        }
    }

    public void Dispose()
    {
        _zstd.Dispose();
        _record.Release();
        _file.Dispose();
    }

    private static void OtherChannels(HostileRecording file)
    {
        byte[] earlier = [];
        for (ushort number = 0; number < 50; number++)
        {
            var channel = (ushort)(Other + number);
            file.Record(writer => writer.Write(new Channel(channel, 0, $"/other/{number}", "", NoTexts)));
            file.Chunk([.. earlier, .. Repeat(Message(channel), 530_000)]);
            earlier = [.. earlier, .. Message(channel)];
        }
    }

    private static void Runs(HostileRecording file)
    {
        for (ushort number = 0; number < 6; number++)
        {
            var channel = (ushort)(Other + number);
            file.Record(writer => writer.Write(new Channel(channel, 0, $"/other/{number}", "", NoTexts)));
            file._file.Write(Repeat(Message(channel), (8 << 20) / 31));
        }
    }

    private static void Gaps(HostileRecording file)
    {
        var gap = new MatchRecord { Gap = new Gap { FirstStep = 7, Steps = 1, Reason = new string('x', 40) } };
        file.Chunks(2, _ => Message(Match, gap.ToByteArray()));
    }

    private static void Steps(HostileRecording file)
    {
        const int Count = 300_000;
        var records = MessageBuffer.Rent();
        for (var step = 0u; step < Count; step++)
        {
            new RecordWriter(records).Write(new MessageHead(Observations, 2 * step, step, step), 0);
        }

        file.Chunk(records.Written.ToArray());
        records.Release();
    }

    private static void Metadata(HostileRecording file) =>
        file.Repeated(writer => writer.Write(new Metadata("", NoTexts)), 200_000);

    private static void Attachments(HostileRecording file) =>
        file.Repeated(writer => writer.Write(new Attachment(0, 0, "", "", default)), 200_000);

    private static (long Start, int Length) EmptyChunks(HostileRecording file, int count)
    {
        var start = file._file.Position;
        file.Repeated(writer => writer.Write(new ChunkHead(0, 0, 0, 0, "", 0)), count);
        return (start, (int)((file._file.Position - start) / count));
    }

    private static void DamagedChunks(HostileRecording file) => file.Repeated(
        writer =>
        {
            writer.Write(new ChunkHead(0, 0, 5, 1, McapFormat.Zstd, 5));
            writer.Bytes("abcde"u8);
        },
        40_000);

    private static void ChunkIndexes(HostileRecording file)
    {
        const int Count = 180_000;
        var (start, length) = EmptyChunks(file, Count);
        file.FinishWith(writer =>
        {
            for (var chunk = 0; chunk < Count; chunk++)
            {
                writer.Write(new ChunkIndex(
                    0, 0, (ulong)(start + (chunk * (long)length)), (ulong)length, new Dictionary<ushort, ulong>(), 0, "", 0, 0));
            }
        });
    }

    private static void OverlappingIndexes(HostileRecording file)
    {
        var (start, length) = EmptyChunks(file, 1);
        file.FinishWith(writer =>
        {
            for (var chunk = 0; chunk < 100_000; chunk++)
            {
                writer.Write(new ChunkIndex(
                    0, 0, (ulong)start, (ulong)length, new Dictionary<ushort, ulong>(), 0, "", 0, 0));
            }
        });
    }

    private static void Statistics(HostileRecording file)
    {
        var counts = Enumerable.Range(0, 1 << 16).ToDictionary(channel => (ushort)channel, _ => 1UL);
        file.FinishWith(writer =>
        {
            for (var times = 0; times < 23; times++)
            {
                writer.Write(new Statistics(0, 0, 0, 0, 0, 0, 0, 0, counts));
            }
        });
    }

    private static void LongSummary(HostileRecording file)
    {
        const int Length = 20 << 20;
        file.FinishWith(writer => writer.Bytes([0x90, .. BitConverter.GetBytes((long)Length), .. new byte[Length]]));
    }

    private static void LongHeader(HostileRecording file)
    {
        file._file.SetLength(0);
        file.Begin(new string('x', (2 << 20) - 9));
    }

    private static void HugeLength(HostileRecording file)
    {
        file._file.Write([(byte)Opcode.Metadata, .. BitConverter.GetBytes(1L << 62)]);
        file._file.Write(new byte[100]);
    }

    private static void HugeText(HostileRecording file)
    {
        file._file.Write([(byte)Opcode.Metadata, .. BitConverter.GetBytes(8L)]);
        file._file.Write([0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]);
    }

    private static void Channels(HostileRecording file)
    {
        for (var number = (int)Other; number <= ushort.MaxValue; number++)
        {
            file.Record(writer => writer.Write(new Channel((ushort)number, 0, $"/o/{number}", "", NoTexts)));
        }

        var records = MessageBuffer.Rent();
        for (var number = (int)Other; number <= ushort.MaxValue; number++)
        {
            new RecordWriter(records).Write(new MessageHead((ushort)number, 0, 0, 0), 0);
        }

        file.Chunk(records.Written.ToArray());
        records.Release();
    }

    private static void Perspectives(HostileRecording file) => file.Perspective(16);

    private static void PerspectivesApart(HostileRecording file)
    {
        file.Perspective(15);
        file.Chunks(16, number => Message(number == 0 ? Observations : (ushort)(Other + number)));
    }

    private static void Schemas(HostileRecording file)
    {
        var data = new byte[15 << 20];
        for (ushort number = 0; number < 20; number++)
        {
            var schema = new Schema((ushort)(Other + number), "s", "protobuf", data);
            file.Chunk(Bytes(writer => writer.Write(schema)));
        }
    }

    private static void ManySchemas(HostileRecording file)
    {
        var data = new byte[1 << 19];
        for (var chunk = 0; chunk < 3; chunk++)
        {
            file.Chunk(Bytes(writer =>
            {
                for (var number = 0; number < 31; number++)
                {
                    writer.Write(new Schema((ushort)(Other + (31 * chunk) + number), "s", "protobuf", data));
                }
            }));
        }
    }

    private static void ChannelTexts(HostileRecording file)
    {
        var texts = Enumerable.Range(0, 60_000).ToDictionary(number => $"{number}", _ => "");
        for (var chunk = 0; chunk < 4; chunk++)
        {
            file.Chunk(Bytes(writer =>
            {
                for (var number = 0; number < 15; number++)
                {
                    writer.Write(new Channel((ushort)(Other + (15 * chunk) + number), 0, "t", "", texts));
                }
            }));
        }
    }

    private static void Players(HostileRecording file)
    {
        var players = Repeat([(MatchDescription.PlayersFieldNumber << 3) | 2, 0], 1_000_000);
        file.Chunk(Message(Match, Nested(MatchRecord.StartFieldNumber, players)));
    }

    private static void Requests(HostileRecording file)
    {
        file.Record(writer => writer.Write(new Channel(Other, 0, RecordingFormat.Requests, McapFormat.Protobuf, NoTexts)));
        file.Chunks(1, _ => Message(Other));
    }

    private static void Blocks(HostileRecording file) => file.Attach(RecordingFormat.Analysis, System.Text.Encoding.UTF8.GetBytes(
        """{"rules":1,"first_loop":0,"last_loop":0,"fights":[],"players":[{"player_id":1,"is_observed":true,"bases":[],"supply_blocks":["""
        + string.Join(",", Enumerable.Repeat("""{"first_loop":0,"last_loop":0}""", 130_000))
        + """],"floating":[],"idle_production":null,"idle_workers":null,"errors":[]}]}"""));

    // Pairs of enemies all over the map. Each observation has new units, which die in the next one.
    private static void Fights(HostileRecording file)
    {
        const uint Count = 15_000;
        var data = new ResponseData { Units = { new UnitTypeData { UnitId = 1, Name = "Marine", MineralCost = 50 } } };
        file.Attach(RecordingFormat.Data, data.ToByteArray());
        for (var number = 0u; number < 40; number++)
        {
            var raw = new ObservationRaw { Event = new SC2APIProtocol.Event() };
            for (var unit = 0u; unit < Count; unit++)
            {
                raw.Event.DeadUnits.Add((number * Count) + unit);
                raw.Units.Add(new Unit
                {
                    DisplayType = DisplayType.Visible,
                    Tag = ((number + 1) * Count) + unit,
                    UnitType = 1 + (unit % 500),
                    Owner = 1 + ((int)unit % 15),
                    Pos = new Point { X = unit / 2 * 20 },
                });
            }

            var observation = new ResponseObservation { Observation = new Observation { GameLoop = 22 * number, RawData = raw } };
            file.Chunk(Message(Observations, observation.ToByteArray(), number));
        }
    }

    private static void Units(HostileRecording file, int count)
    {
        var units = Repeat([(ObservationRaw.UnitsFieldNumber << 3) | 2, 0], count);
        var observation = Nested(
            ResponseObservation.ObservationFieldNumber, Nested(Observation.RawDataFieldNumber, units));
        file.Chunks(2, _ => Message(Observations, observation));
    }

    private static byte[] Nested(int field, byte[] content)
    {
        var output = new MemoryStream();
        using (var coded = new CodedOutputStream(output, leaveOpen: true))
        {
            coded.WriteTag(field, WireFormat.WireType.LengthDelimited);
            coded.WriteBytes(ByteString.CopyFrom(content));
        }

        return output.ToArray();
    }

    private static byte[] Message(ushort channel, byte[]? data = null, uint sequence = 0) => Bytes(writer =>
    {
        writer.Write(new MessageHead(channel, sequence, sequence, sequence), data?.Length ?? 0);
        writer.Bytes(data);
    });

    private static byte[] Bytes(Action<RecordWriter> write)
    {
        var buffer = MessageBuffer.Rent();
        write(new RecordWriter(buffer));
        var bytes = buffer.Written.ToArray();
        buffer.Release();
        return bytes;
    }

    private static byte[] Repeat(byte[] piece, int count)
    {
        var bytes = new byte[piece.Length * count];
        for (var at = 0; at < bytes.Length; at += piece.Length)
        {
            piece.CopyTo(bytes, at);
        }

        return bytes;
    }

    private void Begin(string library)
    {
        _file.Write(McapFormat.Magic);
        Record(writer => writer.Write(new Header(RecordingFormat.Profile, library)));
        Record(writer => writer.Write(new Schema(1, ResponseObservation.Descriptor.FullName, McapFormat.Protobuf, default)));
        Record(writer => writer.Write(new Schema(2, MatchRecord.Descriptor.FullName, McapFormat.Protobuf, default)));
        Record(writer => writer.Write(new Channel(Observations, 1, RecordingFormat.Observations(0), McapFormat.Protobuf, NoTexts)));
        Record(writer => writer.Write(new Channel(Match, 2, RecordingFormat.Match, McapFormat.Protobuf, NoTexts)));
    }

    private void Perspective(uint last)
    {
        for (var number = 1u; number <= last; number++)
        {
            Record(writer => writer.Write(new Channel(
                (ushort)(Other + number), 1, RecordingFormat.Observations(number), McapFormat.Protobuf, NoTexts)));
        }
    }

    private void Record(Action<RecordWriter> write) => _file.Write(Bytes(write));

    private void Repeated(Action<RecordWriter> write, int count) => _file.Write(Repeat(Bytes(write), count));

    private void Attach(string name, byte[] data)
    {
        Record(writer => writer.Write(new Attachment(0, 0, RecordingFormat.GameInfo, "", default)));
        Record(writer => writer.Write(new Attachment(0, 0, name, "", data)));
    }

    // Chunks of the largest allowed size. Each repeats one piece.
    private void Chunks(int count, Func<int, byte[]> piece)
    {
        for (var number = 0; number < count; number++)
        {
            var repeated = piece(number);
            Chunk(repeated, ChunkBytes / repeated.Length);
        }
    }

    private void Chunk(byte[] piece, int count = 1, long? size = null)
    {
        const int Block = 1 << 20;
        var length = (long)piece.Length * count;
        _record.Clear();
        _zstd.Begin(ChunkWriter.WindowLog, checksum: true);
        var block = Repeat(piece, Math.Clamp(Block / piece.Length, 1, count));
        for (var left = length; left > 0; left -= block.Length)
        {
            _zstd.Add(block.AsSpan(0, (int)Math.Min(left, block.Length)), _record);
        }

        _zstd.End(_record);
        var compressed = _record.Written.ToArray();
        Record(writer => writer.Write(new ChunkHead(
            0, 0, (ulong)(size ?? length), 0, McapFormat.Zstd, (ulong)compressed.Length)));
        _file.Write(compressed);
    }

    // Writes a summary only if it has records.
    private void FinishWith(Action<RecordWriter> records)
    {
        _isFinished = true;
        Record(writer => writer.Write(new DataEnd(0)));
        var start = _file.Position;
        var summary = Bytes(records);
        _file.Write(summary);
        var footer = Bytes(writer => writer.Write(new Footer(summary.Length == 0 ? 0 : (ulong)start, 0, 0)));
        var crc = Crc32.HashToUInt32([.. summary, .. footer[..^sizeof(uint)]]);
        _file.Write(footer.AsSpan(0, footer.Length - sizeof(uint)));
        _file.Write(BitConverter.GetBytes(summary.Length == 0 ? 0 : crc));
        _file.Write(McapFormat.Magic);
    }
}

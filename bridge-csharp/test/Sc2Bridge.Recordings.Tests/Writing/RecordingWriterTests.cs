using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Recordings.Tests.Mcap;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Tests.Writing;

/// <summary>The order and the times of a recording's messages.</summary>
public sealed class RecordingWriterTests
{
    private const long Offset = 1_000_000;
    private readonly MemorySink _sink = new();

    [Fact]
    public void Messages_have_their_channels_sequences_and_times()
    {
        var first = new ResponseObservation { Observation = new() { GameLoop = 22 } }.ToByteArray();
        var data = Write(writer =>
        {
            Add(writer, 0, step: 7, asked: 50, arrived: 60, first);
            writer.Add(new LoggedStep(new StepRecord { Step = 7 }, 50, 60), 99);
            writer.Add(new LoggedStep(new StepRecord { Step = 8 }, null, null), 99);

            // Two messages at the same time, and a clock that does not move.
            Add(writer, 0, step: 8, asked: 60, arrived: 60, []);
            Add(writer, 0, step: 9, asked: 60, arrived: 55, []);
            Add(writer, 2, step: uint.MaxValue + 5L, asked: 1, arrived: 60, [1, 2]);
            writer.Add(new AgentRequest(70, new RequestRecord { Agent = "a" }));
            writer.Add(new AgentRequest(65, new RequestRecord { Agent = "b" }));
            writer.Add(new ActionReport(75, new ActionRecord { Agent = "a", Step = 3 }));
            writer.Add(new Gap { Steps = 5 }, 80);
        });
        Assert.Equal(
            [
                Is(RecordingFormat.Match, 0, 40, 40, new MatchRecord { Start = Description() }),
                Is("/observation/0", 7, 60, 50, first),
                Is(RecordingFormat.Steps, 7, 60, 50, new StepRecord { Step = 7 }),
                Is(RecordingFormat.Steps, 8, 99, 99, new StepRecord { Step = 8 }),
                Is("/observation/0", 8, 61, 60, []),
                Is("/observation/0", 9, 62, 60, []),
                Is("/observation/2", 4, 60, 1, [1, 2]),
                Is(RecordingFormat.Requests, 0, 70, 70, new RequestRecord { Agent = "a" }),
                Is(RecordingFormat.Requests, 1, 65, 65, new RequestRecord { Agent = "b" }),
                Is(RecordingFormat.Actions, 0, 75, 75, new ActionRecord { Agent = "a", Step = 3 }),
                Is(RecordingFormat.Match, 1, 80, 80, new MatchRecord { Gap = new Gap { Steps = 5 } }),
                Is(RecordingFormat.Match, 2, 90, 90, new MatchRecord { End = new MatchEnd { Detail = "over" } }),
            ],
            data.Messages);
    }

    [Fact]
    public void The_matchs_description_comes_first()
    {
        var data = Write(_ => { });
        Assert.Equal(
            [
                "1000040 1000040 game_info application/protobuf; proto=SC2APIProtocol.ResponseGameInfo "
                    + new ResponseGameInfo { MapName = "M" }.ToByteString().ToBase64(),
                "1000040 1000040 data application/protobuf; proto=SC2APIProtocol.ResponseData "
                    + new ResponseData { Units = { new UnitTypeData { UnitId = 4 } } }.ToByteString().ToBase64(),
            ],
            data.Attachments.Select(record => record.Read()).Select(fields =>
                $"{fields.U64()} {fields.U64()} {fields.Text()} {fields.Text()} "
                + Convert.ToBase64String(fields.Bytes(fields.U64()))));
        Assert.Equal(2, data.Metadata.Count);
        var topics = data.Metadata[1].Read();
        Assert.Equal("sc2bridge.topics", topics.Text());
        Assert.Equal(
            ["1 /observation/0", "2 /observation/2", "3 /step", "4 /request", "5 /action", "6 /match"],
            topics.Texts().Select(topic => $"{topic.Key} {topic.Value}"));
        var facts = data.Metadata[0].Read();
        Assert.Equal("sc2bridge", facts.Text());
        Assert.Equal(
            new Dictionary<string, string>
            {
                ["map"] = "M",
                ["game"] = "simulated",
                ["game_version"] = "5.0.14",
                ["seed"] = "4",
                ["step_size"] = "2",
                ["rate"] = "22.4",
                ["player_1"] = "computer Terran VeryHard",
                ["player_2"] = "agent Zerg",
            },
            facts.Texts());
        Assert.All(
            data.Attachments.Concat(data.Metadata),
            record => Assert.InRange((ulong)record.Offset, 0ul, data.Chunks[0].ChunkOffset));
    }

    [Fact]
    public void Each_channel_has_its_schema_with_everything_that_it_imports()
    {
        var data = Write(_ => { });
        var schemas = data.Schemas.Select(record => record.Read())
            .ToDictionary(fields => fields.U16(), fields => (fields.Text(), fields.Text(), fields.Bytes(fields.U32())));
        Assert.Equal(
            [
                "/observation/0 protobuf SC2APIProtocol.ResponseObservation",
                "/observation/2 protobuf SC2APIProtocol.ResponseObservation",
                "/step protobuf sc2bridge.v1.StepRecord",
                "/request protobuf sc2bridge.v1.RequestRecord",
                "/action protobuf sc2bridge.v1.ActionRecord",
                "/match protobuf sc2bridge.v1.MatchRecord",
            ],
            data.Channels.Select(record => record.Read()).Select(fields =>
            {
                _ = fields.U16();
                var (name, encoding, descriptors) = schemas[fields.U16()];
                Assert.Equal("protobuf", encoding);

                // Refuses a file that comes before one of its imports, and missing imports.
                var files = FileDescriptorSet.Parser.ParseFrom(descriptors).File.Select(file => file.ToByteString());
                var message = FileDescriptor.BuildFromByteStrings(files)[^1].FindTypeByName<MessageDescriptor>(
                    name[(name.LastIndexOf('.') + 1)..]);
                Assert.Equal(name, message.FullName);
                return $"{fields.Text()} {fields.Text()} {name}";
            }));
    }

    [Fact]
    public void A_chunk_is_closed_after_two_seconds()
    {
        const long Second = 1_000_000_000;
        var data = Write(writer =>
        {
            // The description has its own chunk. The first chunk of observations starts here.
            foreach (var tenth in Enumerable.Range(0, 41))
            {
                Add(writer, 0, tenth, 0, arrived: 5 * Second + (tenth * Second / 10), []);
            }

            // No more messages arrive.
            writer.CloseChunkIfDue(10 * Second);
            writer.CloseChunkIfDue(11 * Second);
            writer.CloseChunkIfDue(12 * Second);
            writer.CloseChunkIfDue(20 * Second);
        });
        var times = data.Messages.Where(message => message.Topic != "/match").Select(message => message.LogTime);
        Assert.Equal(
            [0, 20, 20, 1, 0],
            data.Chunks.Select(chunk => times.Count(time => time >= chunk.StartTime && time <= chunk.EndTime)));
    }

    private static MatchDescription Description() => new()
    {
        MatchId = "m",
        MapName = "M",
        Simulated = true,
        Perspectives = { 0, 2 },
        Seed = 4,
        StepSize = 2,
        Rate = 22.4,
        Players =
        {
            new V1.Player { PlayerId = 1, Kind = PlayerKind.Computer, Race = PlayerRace.Terran, Difficulty = "VeryHard" },
            new V1.Player { PlayerId = 2, Kind = PlayerKind.Agent, Race = PlayerRace.Zerg },
        },
        Ping = new ResponsePing { GameVersion = "5.0.14" },
    };

    private static void Add(RecordingWriter writer, uint perspective, long step, long asked, long arrived, byte[] bytes)
    {
        var frame = ObservationFrame.Copy(bytes, new FrameHeader("m", perspective, (ulong)step, 0, asked, arrived));
        writer.Add(frame);
        frame.Release();
    }

    private static Written Is(string topic, uint sequence, long log, long publish, IMessage message) =>
        Is(topic, sequence, log, publish, message.ToByteArray());

    private static Written Is(string topic, uint sequence, long log, long publish, byte[] bytes) =>
        new(topic, sequence, (ulong)(log + Offset), (ulong)(publish + Offset), bytes.Length, Spec.Crc(bytes));

    private SpecData Write(Action<RecordingWriter> write)
    {
        var description = Description();
        description.GameInfo = new ResponseGameInfo { MapName = "M" };
        description.Data = new ResponseData { Units = { new UnitTypeData { UnitId = 4 } } };
        using var writer = new RecordingWriter(_sink, description, 40, Offset);
        write(writer);
        writer.Finish(new MatchEnd { Detail = "over" }, 90);
        var records = Spec.Records(_sink.Bytes);
        var header = records[0].Read();
        Assert.Equal(("sc2bridge", RecordingFormat.Library), (header.Text(), header.Text()));
        return new SpecData(records[1..records.FindIndex(record => record.Opcode == (byte)Opcode.DataEnd)]);
    }
}

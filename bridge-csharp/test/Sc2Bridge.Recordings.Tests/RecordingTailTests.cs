using System.Text;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Tests;

/// <summary>A part of a recording has the chosen game loops, and no private text.</summary>
public sealed class RecordingTailTests
{
    private const string Secret = "s3cret";
    private const string InBytes = "s3cret-in-bytes";
    private const string Text = $"before {Secret} after";
    private const string Path = $@"Z:\home\{Secret}\map.SC2Map";

    [Fact]
    public void Private_texts_are_removed_from_every_message_and_attachment()
    {
        var folder = Directory.CreateTempSubdirectory("sc2bridge-test-");
        var path = System.IO.Path.Combine(folder.FullName, "match.mcap");
        File.WriteAllBytes(path, Write());
        var tail = RecordingTail.Cut(
            path, 100, uint.MaxValue, 1_000_000, text => text.Replace(Secret, "[removed]", StringComparison.Ordinal),
            bytes => bytes.Span.IndexOf(Encoding.UTF8.GetBytes(InBytes)) >= 0, TestContext.Current.CancellationToken)!;
        folder.Delete(recursive: true);

        using var file = new McapFile(new MemoryBytes(tail.Bytes));
        var all = new StringBuilder();
        foreach (var attachment in file.Layout.Attachments.Select(file.ReadAttachment))
        {
            all.Append(Encoding.Latin1.GetString(attachment.Data.Span));
        }

        var chunk = new LoadedChunk();
        foreach (var region in file.Layout.Regions)
        {
            file.Chunks.Loader.Load(region, chunk);
            foreach (var (_, message) in chunk.InOrder())
            {
                all.Append(Encoding.Latin1.GetString(chunk.DataOf(message).Span));
            }
        }

        Assert.DoesNotContain(Secret, $"{all}", StringComparison.Ordinal);
        Assert.DoesNotContain("clock", $"{all}", StringComparison.Ordinal);

        // Everything else is kept. The observation and the request with private bytes are left out.
        using var recording = RecordingReader.Open(new MemoryBytes(tail.Bytes));
        using var reader = recording.Observations();
        List<ResponseObservation> observations = [];
        while (reader.Next(out var observation))
        {
            observations.Add(ResponseObservation.Parser.ParseFrom(observation.Bytes.Span));
        }

        Assert.Equal([1u, 2u], observations.Select(one => one.Observation.GameLoop));
        Assert.Equal(Observation(1), observations[0]);
        Assert.Equal("before [removed] after", observations[1].Chat.Single().Message);
        Assert.Equal("before [removed] after", observations[1].Actions.Single().ActionChat.Message);
        Assert.Equal("map.SC2Map", recording.ReadGameInfo()!.LocalMapPath);
        var request = Assert.Single(recording.Requests());
        Assert.Equal(("before [removed] after", "before [removed] after"), (request.Agent, request.Refusal));
        Assert.Equal("before [removed] after", request.Request.Debug.Debug.Single().Draw.Text.Single().Text);
        Assert.Equal(["before [removed] after"], request.Response.Error);
        var action = Assert.Single(recording.Actions());
        Assert.Equal("before [removed] after", action.Agent);
        Assert.Equal("before [removed] after", recording.ReadEnd()!.Detail);
        Assert.Equal("before [removed] after", recording.Description.Relay);
    }

    [Theory]
    [InlineData(100, 2, 1_000_000, "1 2")]
    [InlineData(1, 2, 1_000_000, "2")]
    [InlineData(100, uint.MaxValue, 1_000_000, "1 2 3")]
    [InlineData(100, uint.MaxValue, 100, null)]
    public void The_part_before_a_game_loop_is_cut(uint loops, uint lastLoop, int mostBytes, string? expected)
    {
        var folder = Directory.CreateTempSubdirectory("sc2bridge-test-");
        var path = System.IO.Path.Combine(folder.FullName, "match.mcap");
        File.WriteAllBytes(path, Write());
        var tail = RecordingTail.Cut(path, loops, lastLoop, mostBytes, text => text, _ => false, TestContext.Current.CancellationToken);
        folder.Delete(recursive: true);

        Assert.Equal(expected, tail is null ? null : string.Join(" ", tail.Steps.Select(step => step.GameLoop)));
        if (tail is not null)
        {
            using var recording = RecordingReader.Open(new MemoryBytes(tail.Bytes));
            Assert.Equal(lastLoop > 3 ? 1 : 0, recording.Actions().Count());
            Assert.Equal(Text, recording.ReadEnd()!.Detail);
        }
    }

    private static byte[] Write()
    {
        var sink = new MemorySink();
        using var mcap = new McapWriter(sink, new Header(RecordingFormat.Profile, RecordingFormat.Library));
        var info = new ResponseGameInfo { MapName = Text, ModNames = { Text }, LocalMapPath = Path };
        mcap.Add(new Attachment(1, 0, RecordingFormat.GameInfo, RecordingFormat.MediaType(ResponseGameInfo.Descriptor), info.ToByteArray()));
        mcap.Add(new Attachment(1, 0, "foreign", "text/plain", Encoding.UTF8.GetBytes(Text)));
        mcap.Add(new Metadata(RecordingFormat.Facts, new Dictionary<string, string> { ["map"] = Text }));
        var match = Channel(RecordingFormat.Match, MatchRecord.Descriptor);
        var seen = Channel(RecordingFormat.Observations(1), ResponseObservation.Descriptor);
        var requests = Channel(RecordingFormat.Requests, RequestRecord.Descriptor);
        var actions = Channel(RecordingFormat.Actions, ActionRecord.Descriptor);
        Add(match, 0, new MatchRecord { Start = new MatchDescription { MatchId = "m", MapName = Text, ClockId = "clock", Relay = Text, Perspectives = { 1 } } });
        Add(seen, 1, Observation(1));
        var talking = Observation(2);
        talking.Chat.Add(new ChatReceived { PlayerId = 1, Message = Text });
        talking.Actions.Add(new SC2APIProtocol.Action { ActionChat = new ActionChat { Message = Text } });
        Add(seen, 2, talking);
        var bytes = Observation(3);
        bytes.Observation.RawData.MapState = new MapState { Creep = new ImageData { Data = ByteString.CopyFromUtf8(InBytes) } };
        Add(seen, 3, bytes);
        Add(requests, 3, new RequestRecord
        {
            Agent = Text,
            Refusal = Text,
            Request = new Request { Debug = new RequestDebug { Debug = { new DebugCommand { Draw = new DebugDraw { Text = { new DebugText { Text = Text } } } } } } },
            Response = new Response { Error = { Text } },
        });
        Add(requests, 3, new RequestRecord
        {
            Request = new Request { SaveMap = new RequestSaveMap { MapPath = Path, MapData = ByteString.CopyFromUtf8(InBytes) } },
        });
        Add(actions, 3, new ActionRecord { Agent = Text, Actions = { new SC2APIProtocol.Action { ActionChat = new ActionChat { Message = Text } } } });
        Add(match, 4, new MatchRecord { End = new MatchEnd { Detail = Text } });
        mcap.Finish();
        return sink.Bytes;

        ushort Channel(string topic, MessageDescriptor message) =>
            mcap.AddChannel(mcap.AddSchema(message.FullName, McapFormat.Protobuf, new byte[40]), topic, McapFormat.Protobuf, new Dictionary<string, string>());

        void Add(ushort channel, uint time, IMessage message) => mcap.Add(new MessageHead(channel, time, time, time), message.ToByteArray());
    }

    private static ResponseObservation Observation(uint loop) =>
        new() { Observation = new Observation { GameLoop = loop, RawData = new ObservationRaw { MapState = new MapState() } } };
}

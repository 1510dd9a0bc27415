using System.IO.Hashing;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.V1;

namespace Sc2Bridge.Testing;

/// <summary>An observation, as written or as read.</summary>
public sealed record Seen(
    uint Perspective, ulong Step, long RequestedNs, long ObservedNs, uint GameLoop, int Length, uint Crc)
{
    public static Seen Of(in RecordedObservation read) => new(
        read.Perspective, read.Step, read.RequestedNs, read.ObservedNs, read.GameLoop, read.Bytes.Length,
        Crc32.HashToUInt32(read.Bytes.Span));
}

/// <summary>A small recording in many chunks: observations of some perspectives, a gap and an end. The same arguments give the same file.</summary>
public sealed class SampleRecording
{
    public const int StepSize = 2;
    public const long FirstNs = 1_700_000_000_000_000_000;
    private const long StepNs = 50_000_000;

    private static readonly Dictionary<string, string> NoTexts = [];

    private readonly int _mostNoise;
    private readonly MemorySink _sink = new();
    private readonly Random _random = new(5);
    private readonly List<Seen> _observations = [];

    private SampleRecording(int mostNoise)
    {
        _mostNoise = mostNoise;
    }

    public byte[] Bytes { get; private set; } = [];

    /// <summary>The observations in the order of their arrival.</summary>
    public IReadOnlyList<Seen> Observations => _observations;

    public MatchDescription Description { get; } = new()
    {
        MatchId = "m1",
        MapName = "Cinder Fortress LE",
        StepSize = StepSize,
        Simulated = true,
        Players = { new V1.Player { PlayerId = 1, Kind = PlayerKind.Computer, Race = PlayerRace.Terran, Difficulty = "VeryHard" } },
    };

    public ResponseGameInfo GameInfo { get; } = new() { MapName = "Cinder Fortress LE" };

    public Gap Gap { get; } = new() { Perspective = 0, FirstStep = 30, Steps = 3, Reason = "the disk was too slow" };

    public MatchEnd End { get; } = new() { MatchId = "m1", Reason = EndReason.Finished };

    /// <summary>The chunks and the records between them.</summary>
    internal McapLayout Layout => McapScanner.Scan(new MemoryBytes(Bytes));

    /// <summary>The offset of the data's end.</summary>
    public int DataEnd => (int)Layout.End;

    public static SampleRecording Make(int steps = 120, int chunkSize = 6000, params uint[] perspectives)
    {
        var sample = new SampleRecording(mostNoise: 400);
        sample.Write(steps, chunkSize, perspectives.Length == 0 ? [0] : perspectives);
        return sample;
    }

    /// <summary>A recording with a test's own texts for the map's and the player's names and the reasons.</summary>
    public static SampleRecording MakeWith(Func<string, string> text)
    {
        var sample = new SampleRecording(mostNoise: 400);
        sample.Description.MapName = text("map");
        sample.Description.Players[0].Name = text("player");
        sample.Gap.Reason = text("gap");
        sample.End.Detail = text("reason");
        sample.Write(40, 6000, [0]);
        return sample;
    }

    /// <summary>A recording with observations of up to 200 KB, as games have them, several in each chunk.</summary>
    public static SampleRecording MakeLarge(int steps, params uint[] perspectives)
    {
        var sample = new SampleRecording(mostNoise: 200_000);
        sample.Write(steps, 1_000_000, perspectives);
        return sample;
    }

    /// <summary>All messages that a reader returns, and the error if reading failed.</summary>
    public static (List<Seen> Given, string? Error) ReadAll(byte[] bytes)
    {
        var given = new List<Seen>();
        try
        {
            using var recording = RecordingReader.Open(new MemoryBytes(bytes));
            using var reader = recording.Observations();
            while (reader.Next(out var observation))
            {
                given.Add(Seen.Of(observation));
            }

            return (given, recording.Problem);
        }
        catch (RecordingException error)
        {
            return (given, error.Message);
        }
    }

    private void Write(int steps, int chunkSize, uint[] perspectives)
    {
        using var mcap = new McapWriter(_sink, new Header(RecordingFormat.Profile, RecordingFormat.Library), chunkSize);
        mcap.Add(new Attachment(
            FirstNs, 0, RecordingFormat.GameInfo, RecordingFormat.MediaType(ResponseGameInfo.Descriptor),
            GameInfo.ToByteArray()));
        mcap.Add(new Metadata(RecordingFormat.Facts, new Dictionary<string, string> { ["map"] = "Cinder" }));
        Description.Perspectives.Add(perspectives);
        string[] topics =
            [.. perspectives.Select(RecordingFormat.Observations), RecordingFormat.Steps, RecordingFormat.Match];
        mcap.Add(new Metadata(
            RecordingFormat.Topics, topics.Index().ToDictionary(topic => $"{topic.Index + 1}", topic => topic.Item)));

        var schema = Schema(mcap, ResponseObservation.Descriptor);
        var channels = perspectives.ToDictionary(
            perspective => perspective,
            perspective => Channel(mcap, schema, RecordingFormat.Observations(perspective)));
        var step = Channel(mcap, Schema(mcap, StepRecord.Descriptor), RecordingFormat.Steps);
        var match = Channel(mcap, Schema(mcap, MatchRecord.Descriptor), RecordingFormat.Match);
        Add(mcap, match, 0, FirstNs, FirstNs, new MatchRecord { Start = Description });
        for (var index = 0; index < steps; index++)
        {
            // One step is missing, and the next step's loop is larger. So a sought step may not exist.
            var number = index < 30 ? index : index + 3;
            var at = FirstNs + (number * StepNs);
            foreach (var perspective in perspectives)
            {
                Observe(mcap, channels[perspective], perspective, number, at + _random.Next(30_000_000));
            }

            if (index == 30)
            {
                Add(mcap, match, 1, at, at, new MatchRecord { Gap = Gap });
            }

            Add(mcap, step, (uint)number, at, at, new StepRecord { Step = (ulong)number, GameUs = number });
        }

        var last = FirstNs + ((steps + 4) * StepNs);
        Add(mcap, match, 2, last, last, new MatchRecord { End = End });
        mcap.Finish();
        Bytes = _sink.Bytes;
        _observations.Sort((one, other) =>
            (one.ObservedNs, one.Perspective).CompareTo((other.ObservedNs, other.Perspective)));
    }

    private void Observe(McapWriter mcap, ushort channel, uint perspective, int number, long arrivedNs)
    {
        var noise = new byte[_random.Next(20, _mostNoise)];
        _random.NextBytes(noise);
        var observation = new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = (uint)(number * StepSize),
                RawData = new ObservationRaw { MapState = new MapState { Creep = Image(noise) } },
            },
        };
        var bytes = observation.ToByteArray();
        var askedNs = arrivedNs - 1_000_000;
        _observations.Add(new Seen(
            perspective, (ulong)number, askedNs, arrivedNs, (uint)(number * StepSize), bytes.Length,
            Crc32.HashToUInt32(bytes)));
        mcap.Add(new MessageHead(channel, (uint)number, (ulong)arrivedNs, (ulong)askedNs), bytes);
    }

    private static ImageData Image(byte[] data) => new() { Data = ByteString.CopyFrom(data) };

    // Schemas of the real length would fill chunks of this size.
    private static ushort Schema(McapWriter mcap, MessageDescriptor message) =>
        mcap.AddSchema(message.FullName, McapFormat.Protobuf, new byte[40]);

    private static ushort Channel(McapWriter mcap, ushort schema, string topic) =>
        mcap.AddChannel(schema, topic, McapFormat.Protobuf, NoTexts);

    private static void Add(
        McapWriter mcap, ushort channel, uint sequence, long logNs, long publishNs, IMessage message) =>
        mcap.Add(new MessageHead(channel, sequence, (ulong)logNs, (ulong)publishNs), message.ToByteArray());
}

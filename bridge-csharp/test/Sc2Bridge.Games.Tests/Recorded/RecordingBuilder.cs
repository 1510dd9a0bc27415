using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>Writes recordings with a test's observations.</summary>
internal sealed class RecordingBuilder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory();
    private int _files;

    public MatchDescription Description { get; init; } = new()
    {
        MatchId = "a match",
        MapName = "Cinder Fortress LE",
        Perspectives = { 1 },
        GameInfo = SimpleInfo(),
        Data = new ResponseData(),
        Ping = new ResponsePing { GameVersion = "5.0.14.recorded" },
    };

    /// <summary>Agents' queries: the step, the perspective, the query and the answer.</summary>
    public List<(ulong Step, uint Perspective, RequestQuery Query, ResponseQuery Answer)> Queries { get; } = [];

    /// <summary>How the match ended. Null for a recording that was not closed.</summary>
    public MatchEnd? End { get; init; } = new() { Reason = EndReason.StepLimit };

    /// <summary>Two players on a map of 8 cells by 8, all free.</summary>
    public static ResponseGameInfo SimpleInfo()
    {
        var grid = new ImageData
        {
            BitsPerPixel = 1,
            Size = new Size2DI { X = 8, Y = 8 },
            Data = Google.Protobuf.ByteString.CopyFrom([.. Enumerable.Repeat((byte)0xFF, 8)]),
        };
        return new ResponseGameInfo
        {
            MapName = "Cinder Fortress LE",
            LocalMapPath = "CinderFortressLE.SC2Map",
            Options = new InterfaceOptions { Raw = true, Score = true },
            StartRaw = new StartRaw { MapSize = grid.Size, PathingGrid = grid, PlacementGrid = grid },
            PlayerInfo =
            {
                new PlayerInfo { PlayerId = 1, Type = PlayerType.Participant, RaceActual = Race.Terran },
                new PlayerInfo { PlayerId = 2, Type = PlayerType.Computer, RaceRequested = Race.Zerg },
            },
        };
    }

    /// <summary>An observation that has only its loop.</summary>
    public static byte[] Bare(uint loop) => Google.Protobuf.MessageExtensions.ToByteArray(
        new ResponseObservation { Observation = new Observation { GameLoop = loop } });

    /// <summary>This many such observations, from loop 0 on.</summary>
    public static IEnumerable<byte[]> Loops(int count) => Enumerable.Range(0, count).Select(loop => Bare((uint)loop));

    /// <summary>A file with observations of the first perspective.</summary>
    public string Write(params IEnumerable<byte[]> observations) =>
        Write(observations.Select(one => (Description.Perspectives[0], one)));

    /// <summary>A file with observations of several perspectives. Each perspective counts its own steps.</summary>
    public string Write(IEnumerable<(uint Perspective, byte[] Observation)> observations)
    {
        var path = Path.Combine(_folder.FullName, $"{_files++}.mcap");
        using var file = new FileStream(path, FileMode.Create);
        using var writer = new RecordingWriter(new Sink(file), Description, 0, 0);
        var steps = new Dictionary<uint, ulong>();
        var unasked = new Queue<(ulong Step, uint Perspective, RequestQuery Query, ResponseQuery Answer)>(Queries);
        var now = 0L;
        foreach (var (perspective, observation) in observations)
        {
            var step = steps[perspective] = steps.TryGetValue(perspective, out var last) ? last + 1 : 0;
            var frame = ObservationFrame.Copy(observation, new FrameHeader("a match", perspective, step, 0, ++now, ++now));
            writer.Add(frame);
            frame.Release();
            while (unasked.TryPeek(out var next) && next.Step <= step)
            {
                var (at, eyes, query, answer) = unasked.Dequeue();
                writer.Add(new AgentRequest(++now, new RequestRecord
                {
                    Step = at,
                    Perspective = eyes,
                    Request = new Request { Query = query },
                    Response = new Response { Query = answer },
                }));
            }
        }

        writer.Finish(End, ++now);
        return path;
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private sealed class Sink(Stream file) : IByteSink
    {
        public void Append(ReadOnlySpan<byte> bytes) => file.Write(bytes);
    }
}

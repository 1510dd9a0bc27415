using SC2APIProtocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Bench;

/// <summary>A recording of late steps of the simulated match, gone when it is disposed.</summary>
internal sealed class TemporaryRecording : IDisposable
{
    // So many of the match's last thousands of steps, its observations at their largest.
    private const int FirstLoop = 14_500;
    private const long StepNs = 1_000_000_000 / 16;

    private TemporaryRecording(string path, string origin)
    {
        Path = path;
        Origin = origin;
    }

    /// <summary>Where it is.</summary>
    public string Path { get; }

    /// <summary>What it is of.</summary>
    public string Origin { get; }

    /// <summary>Makes one with observations alone.</summary>
    public static TemporaryRecording Make(int count, CancellationToken ct)
    {
        var frames = SimulatedFrames.Consecutive(FirstLoop, count, ct);
        var path = System.IO.Path.Combine(System.IO.Path.GetTempPath(), $"sc2bridge-{Guid.NewGuid():N}.mcap");
        using var sink = new FileSink(path);
        using var mcap = new McapWriter(sink, new Header(RecordingFormat.Profile, RecordingFormat.Library));
        var channel = mcap.AddChannel(
            mcap.AddSchema(ResponseObservation.Descriptor.FullName, McapFormat.Protobuf, ReadOnlyMemory<byte>.Empty),
            RecordingFormat.Observations(0),
            McapFormat.Protobuf,
            new Dictionary<string, string>());
        for (var step = 0; step < frames.Count; step++)
        {
            var at = (ulong)(step * StepNs);
            mcap.Add(new MessageHead(channel, (uint)step, at, at), frames.All[step]);
        }

        mcap.Finish();
        return new TemporaryRecording(path, frames.Origin);
    }

    public void Dispose() => File.Delete(Path);

    private sealed class FileSink(string path) : IByteSink, IDisposable
    {
        private readonly FileStream _file = new(path, FileMode.CreateNew);

        public void Append(ReadOnlySpan<byte> bytes) => _file.Write(bytes);

        public void Dispose() => _file.Dispose();
    }
}

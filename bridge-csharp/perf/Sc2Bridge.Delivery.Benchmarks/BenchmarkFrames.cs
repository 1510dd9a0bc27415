using Sc2Bridge.Streaming;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>The observations that are sent, in rotation: one sent again and again would sit in the caches.</summary>
internal sealed class BenchmarkFrames
{
    /// <summary>The match's name in every envelope.</summary>
    public const string Match = "delivery";

    private readonly byte[][] _observations;

    /// <param name="observations">Serialized <c>ResponseObservation</c>s, at least one.</param>
    /// <param name="origin">Where they came from.</param>
    public BenchmarkFrames(byte[][] observations, string origin)
    {
        _observations = observations;
        Origin = origin;
    }

    /// <summary>Where they came from.</summary>
    public string Origin { get; }

    /// <summary>How many different ones there are.</summary>
    public int Count => _observations.Length;

    /// <summary>The mean length in bytes.</summary>
    public double MeanLength => _observations.Average(observation => observation.Length);

    /// <summary>The serialized <c>ResponseObservation</c> of a step.</summary>
    public byte[] Observation(ulong step) => _observations[step % (ulong)_observations.Length];

    /// <summary>Writes each to a file of its own, in their order.</summary>
    public void Save(string folder)
    {
        for (var index = 0; index < _observations.Length; index++)
        {
            File.WriteAllBytes(Path.Combine(folder, $"{index:0000}.observation.pb"), _observations[index]);
        }
    }

    /// <summary>Every file of a folder, in the order of their names.</summary>
    /// <exception cref="BenchmarkException">There are none.</exception>
    public static BenchmarkFrames Load(string folder)
    {
        if (!Directory.Exists(folder))
        {
            throw new BenchmarkException(
                $"there is no folder {folder}: give --frames a folder of serialized ResponseObservations");
        }

        var files = Directory.GetFiles(folder, "*.pb").Order(StringComparer.Ordinal).ToArray();
        return files.Length > 0
            ? new BenchmarkFrames([.. files.Select(File.ReadAllBytes)], $"{files.Length} files of --frames")
            : throw new BenchmarkException(
                $"no *.pb in {folder}: give --frames a folder of serialized ResponseObservations");
    }
}

/// <summary>The observations framed in pinned memory, as a handler with nothing else to do would keep them.</summary>
internal sealed class PinnedFrames
{
    private const int Headroom = Protocol.MessageBuffer.Headroom;
    private readonly BenchmarkFrames _frames;
    private readonly byte[][] _arrays;
    private ulong _step;

    public PinnedFrames(BenchmarkFrames frames)
    {
        _frames = frames;
        _arrays = new byte[frames.Count][];
        for (var index = 0; index < _arrays.Length; index++)
        {
            var observation = frames.Observation((ulong)index);
            _arrays[index] = GC.AllocateUninitializedArray<byte>(Headroom + observation.Length, pinned: true);
            observation.CopyTo(_arrays[index], Headroom);
        }
    }

    /// <summary>The next one, stamped now, with gRPC's prefix: the same bytes that the bridge sends.</summary>
    public ReadOnlyMemory<byte> NextGrpcMessage()
    {
        var step = _step++;
        var length = _frames.Observation(step).Length;
        var array = _arrays[step % (ulong)_arrays.Length];
        var header = new FrameHeader(BenchmarkFrames.Match, 0, step, (uint)step, 0, MonotonicClock.NowNs);
        var start = FrameEnvelope.WriteBefore(array, Headroom, length, header) - Frame.GrpcPrefixLength;
        return array.AsMemory(start, Headroom + length - start);
    }

    /// <summary>The next one, stamped now, without the prefix.</summary>
    public ReadOnlyMemory<byte> NextEventMessage() => NextGrpcMessage()[Frame.GrpcPrefixLength..];
}

/// <summary>A benchmark could not run; the message says why, in one line.</summary>
internal sealed class BenchmarkException(string message) : Exception(message);

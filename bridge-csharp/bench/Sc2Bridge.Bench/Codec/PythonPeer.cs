using Sc2Bridge.Encodings.Columns;

namespace Sc2Bridge.Bench;

/// <summary>A Python interpreter's runtime.</summary>
/// <param name="Python">Its version.</param>
/// <param name="Protobuf">protobuf's version.</param>
/// <param name="Implementation">protobuf's engine: <c>upb</c>, <c>cpp</c> or <c>python</c>.</param>
/// <param name="Libraries">Optional libraries that are installed, and their versions.</param>
internal sealed record PythonRuntime(
    string Python, string Protobuf, string Implementation, IReadOnlyDictionary<string, string> Libraries)
{
    public override string ToString() => $"Python {Python}, protobuf {Protobuf} ({Implementation})";
}

/// <summary>What one run measured.</summary>
/// <typeparam name="TRow">A row of its table.</typeparam>
/// <param name="Runtime">On what.</param>
/// <param name="Rows">The table.</param>
internal sealed record PythonResult<TRow>(PythonRuntime Runtime, IReadOnlyList<TRow> Rows);

/// <summary>Measures with a Python interpreter.</summary>
/// <param name="python">The interpreter.</param>
internal sealed class PythonPeer(string python)
{
    private const string EngineVariable = "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION";

    /// <summary>Every engine that protobuf has had, the fastest first.</summary>
    public static IReadOnlyList<string> Implementations { get; } = ["upb", "cpp", "python"];

    public Task<PythonResult<CodecRow>> CodecsAsync(
        string? implementation, IEnumerable<byte[]> observations, CancellationToken ct)
    {
        var start = PythonScripts.Start(python, "codecs");
        if (implementation is not null)
        {
            start.Environment[EngineVariable] = implementation;
        }

        return PeerProcess.RunAsync<PythonResult<CodecRow>>(start, WithColumns(observations), ct);
    }

    // Each observation, and after it the same as columns.
    private static IEnumerable<byte[]> WithColumns(IEnumerable<byte[]> observations)
    {
        foreach (var observation in observations)
        {
            yield return observation;
            var columns = ColumnsWriter.Write(observation);
            yield return columns.Written.ToArray();
            columns.Release();
        }
    }
}


namespace Sc2Bridge.Bench;

/// <summary>A Python interpreter's runtime.</summary>
/// <param name="Python">Its version.</param>
/// <param name="Protobuf">protobuf's version.</param>
/// <param name="Implementation">protobuf's engine: <c>upb</c>, <c>cpp</c> or <c>python</c>.</param>
/// <param name="Libraries">Optional libraries that are installed, and their versions.</param>
internal sealed record PythonRuntime(
    string Python, string Protobuf, string Implementation, IReadOnlyDictionary<string, string> Libraries)
{
    /// <inheritdoc/>
    public override string ToString() => $"Python {Python}, protobuf {Protobuf} ({Implementation})";
}

/// <summary>What one run measured.</summary>
/// <typeparam name="TRow">A row of its table.</typeparam>
/// <param name="Runtime">On what.</param>
/// <param name="Rows">The table.</param>
internal sealed record PythonResult<TRow>(PythonRuntime Runtime, IReadOnlyList<TRow> Rows);

/// <summary>The unit table in one form under one compression, beside plain JSON.</summary>
/// <param name="Form"><c>protobuf</c>, <c>JSON</c> or <c>CSV</c>.</param>
/// <param name="Compression"><c>plain</c> or what it is compressed with.</param>
/// <param name="Steps">Measured steps.</param>
/// <param name="Bytes">The mean.</param>
/// <param name="WriteMs">The 25 % trimmed mean, compressing included.</param>
/// <param name="ReadMs">The same, decompressing included.</param>
/// <param name="WriteRelative">In times plain JSON.</param>
/// <param name="ReadRelative">In times plain JSON.</param>
/// <param name="SizeRelative">In times plain JSON.</param>
internal sealed record UnitTableRow(
    string Form,
    string Compression,
    long Steps,
    double Bytes,
    double WriteMs,
    double ReadMs,
    double WriteRelative,
    double ReadRelative,
    double SizeRelative);

/// <summary>Having 12 fields of all units in numpy; 25 % trimmed means.</summary>
/// <param name="NumpyMs">From a Columns message.</param>
/// <param name="LoopMs">By a loop over parsed messages.</param>
internal sealed record NumpyTimes(double NumpyMs, double LoopMs);

/// <summary>Measures with a Python interpreter.</summary>
/// <param name="python">The interpreter.</param>
internal sealed class PythonPeer(string python)
{
    private const string EngineVariable = "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION";

    /// <summary>Every engine that protobuf has had, the fastest first.</summary>
    public static IReadOnlyList<string> Implementations { get; } = ["upb", "cpp", "python"];

    /// <summary>Times protobuf and JSON.</summary>
    /// <param name="implementation">protobuf's engine; null for the interpreter's own choice.</param>
    /// <param name="observations">Serialized <c>ResponseObservation</c>s.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="CommandException">It cannot be run, or lacks that engine.</exception>
    public Task<PythonResult<CodecRow>> CodecsAsync(
        string? implementation, IEnumerable<byte[]> observations, CancellationToken ct)
    {
        var start = PythonScripts.Start(python, "codecs");
        if (implementation is not null)
        {
            start.Environment[EngineVariable] = implementation;
        }

        return PeerProcess.RunAsync<PythonResult<CodecRow>>(start, observations, ct);
    }

    /// <summary>Times the unit table as protobuf, JSON and CSV.</summary>
    /// <exception cref="CommandException">It cannot be run.</exception>
    public Task<PythonResult<UnitTableRow>> UnitsAsync(IEnumerable<byte[]> observations, CancellationToken ct) =>
        PeerProcess.RunAsync<PythonResult<UnitTableRow>>(PythonScripts.Start(python, "units"), observations, ct);

    /// <summary>Times having units in numpy, from columns and by a loop.</summary>
    /// <param name="frames">Serialized <c>ResponseObservation</c>s, each followed by the same as columns.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="CommandException">It cannot be run, or lacks numpy.</exception>
    public Task<NumpyTimes> ColumnsAsync(IEnumerable<byte[]> frames, CancellationToken ct) =>
        PeerProcess.RunAsync<NumpyTimes>(PythonScripts.Start(python, "columns"), frames, ct);

    /// <summary>Makes sure that python-sc2 is installed.</summary>
    /// <exception cref="CommandException">It is not.</exception>
    public Task CheckPythonSc2Async(CancellationToken ct) =>
        ProcessRun.ToEndAsync(PythonScripts.Start(python, "can-poll"), ct);
}

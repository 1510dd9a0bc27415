using Sc2Bridge.Measuring.Codecs;

namespace Sc2Bridge.Measuring.Peers;

/// <summary>A Python interpreter's runtime.</summary>
/// <param name="Python">Its version.</param>
/// <param name="Protobuf">protobuf's version.</param>
/// <param name="Implementation">protobuf's engine: <c>upb</c>, <c>cpp</c> or <c>python</c>.</param>
/// <param name="Libraries">Optional libraries that are installed, and their versions.</param>
public sealed record PythonRuntime(
    string Python, string Protobuf, string Implementation, IReadOnlyDictionary<string, string> Libraries)
{
    /// <inheritdoc/>
    public override string ToString() => $"Python {Python}, protobuf {Protobuf} ({Implementation})";
}

/// <summary>What one run measured.</summary>
/// <typeparam name="TRow">A row of its table.</typeparam>
/// <param name="Runtime">On what.</param>
/// <param name="Rows">The table.</param>
public sealed record PythonResult<TRow>(PythonRuntime Runtime, IReadOnlyList<TRow> Rows);

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
public sealed record UnitTableRow(
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
public sealed record NumpyTimes(double NumpyMs, double LoopMs);

/// <summary>What is drawn.</summary>
public enum PictureKind
{
    /// <summary>What <c>sc2bridge codec</c> measured.</summary>
    Codec,

    /// <summary>What <c>sc2bridge inspect</c> found in a recording.</summary>
    Recording,

    /// <summary>What <c>sc2bridge compare</c> measured.</summary>
    Comparison,
}

/// <summary>Measures with a Python interpreter (<c>python -m sc2bridge.measuring</c>).</summary>
/// <param name="python">The interpreter.</param>
public sealed class PythonPeer(string python)
{
    private const string ImplementationVariable = "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION";

    /// <summary>Every engine that protobuf has had, the fastest first.</summary>
    public static IReadOnlyList<string> Implementations { get; } = ["upb", "cpp", "python"];

    /// <summary>Times protobuf and JSON.</summary>
    /// <param name="implementation">protobuf's engine; null for the interpreter's own choice.</param>
    /// <param name="observations">Serialized <c>ResponseObservation</c>s.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="MeasuringException">It cannot be run, or lacks that engine.</exception>
    public Task<PythonResult<CodecRow>> CodecsAsync(
        string? implementation, IEnumerable<byte[]> observations, CancellationToken ct) =>
        RunAsync<CodecRow>("codecs", implementation, observations, ct);

    /// <summary>Times the unit table as protobuf, JSON and CSV.</summary>
    /// <param name="observations">Serialized <c>ResponseObservation</c>s.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="MeasuringException">It cannot be run.</exception>
    public Task<PythonResult<UnitTableRow>> UnitsAsync(IEnumerable<byte[]> observations, CancellationToken ct) =>
        RunAsync<UnitTableRow>("units", null, observations, ct);

    /// <summary>Times having units in numpy, from columns and by a loop.</summary>
    /// <param name="frames">Serialized <c>ResponseObservation</c>s, each followed by the same as columns.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="MeasuringException">It cannot be run, or lacks numpy.</exception>
    public Task<NumpyTimes> ColumnsAsync(IEnumerable<byte[]> frames, CancellationToken ct) =>
        PeerProcess.RunAsync<NumpyTimes>(
            python, ["-m", "sc2bridge.measuring", "columns"], new Dictionary<string, string>(), frames, ct);

    /// <summary>Makes sure that it can draw.</summary>
    /// <param name="picture">The file that will be written; its ending names the format.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="MeasuringException">It cannot; the message says what to install.</exception>
    public Task CheckAsync(string picture, CancellationToken ct) => RunAsync<object>(["can-draw", picture], ct);

    /// <summary>Makes sure that python-sc2 is installed.</summary>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="MeasuringException">It is not.</exception>
    public Task CheckPythonSc2Async(CancellationToken ct) => RunAsync<object>(["can-poll"], ct);

    /// <summary>Draws a report.</summary>
    /// <param name="kind">Whose.</param>
    /// <param name="report">The report's JSON.</param>
    /// <param name="picture">The file to write; its ending names the format.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="MeasuringException">It cannot.</exception>
    public async Task DrawAsync(PictureKind kind, string report, string picture, CancellationToken ct)
    {
        var file = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(file, report, ct);
            var command = kind switch
            {
                PictureKind.Codec => "picture",
                PictureKind.Recording => "recording-picture",
                _ => "comparison-picture",
            };
            await RunAsync<object>([command, file, picture], ct);
        }
        finally
        {
            File.Delete(file);
        }
    }

    private Task<T> RunAsync<T>(string[] arguments, CancellationToken ct) => PeerProcess.RunAsync<T>(
        python, ["-m", "sc2bridge.measuring", .. arguments], new Dictionary<string, string>(), [], ct);

    private Task<PythonResult<TRow>> RunAsync<TRow>(
        string command, string? implementation, IEnumerable<byte[]> observations, CancellationToken ct) =>
        PeerProcess.RunAsync<PythonResult<TRow>>(
            python,
            ["-m", "sc2bridge.measuring", command],
            implementation is null
                ? new Dictionary<string, string>()
                : new Dictionary<string, string> { [ImplementationVariable] = implementation },
            observations,
            ct);
}

using System.Buffers.Binary;
using System.Text.Json;
using Sc2Bridge.Encodings.Columns;

namespace Sc2Bridge.Bench;

/// <summary>A Python interpreter's runtime.</summary>
/// <param name="Python">Its version.</param>
/// <param name="Protobuf">protobuf's version.</param>
/// <param name="Implementation">protobuf's engine: <c>upb</c>, <c>cpp</c> or <c>python</c>.</param>
internal sealed record PythonRuntime(string Python, string Protobuf, string Implementation)
{
    public override string ToString() => $"Python {Python}, protobuf {Protobuf} ({Implementation})";
}

/// <summary>What a Python interpreter measured.</summary>
/// <param name="Runtime">On what.</param>
/// <param name="Rows">Its codecs.</param>
internal sealed record PythonResult(PythonRuntime Runtime, IReadOnlyList<CodecRow> Rows);

/// <summary>Measures with a Python interpreter that has the sc2bridge package.</summary>
internal static class PythonPeer
{
    // Long enough for a slow and busy machine to import the package and answer.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>Checks that the interpreters can measure, before minutes are spent.</summary>
    /// <exception cref="CommandException">One cannot. The message has the reason and the remedy.</exception>
    public static async Task RequireAsync(IEnumerable<string> pythons, CancellationToken ct)
    {
        foreach (var python in pythons)
        {
            using var hanging = CancellationTokenSource.CreateLinkedTokenSource(ct);
            hanging.CancelAfter(Patience);
            string problem;
            try
            {
                await CodecsAsync(python, [], hanging.Token);
                continue;
            }
            catch (CommandException absent)
            {
                problem = absent.Message;
            }
            catch (OperationCanceledException) when (!ct.IsCancellationRequested)
            {
                problem = $"it did not answer within {Patience.TotalSeconds:0} s";
            }

            throw new CommandException(
                $"{python} cannot measure ({problem}): name an interpreter that has the sc2bridge package with --python");
        }
    }

    /// <summary>
    /// Times its codecs. It reads frames from its standard input, each after its length (4 bytes, little-endian), and
    /// prints its measurements as one JSON value in its last line.
    /// </summary>
    public static async Task<PythonResult> CodecsAsync(
        string python, IEnumerable<byte[]> observations, CancellationToken ct)
    {
        var text = await ProcessRun.RunToEndAsync(PythonScripts.CreateStartInfo(python, "codecs"), ct, async input =>
        {
            var head = new byte[sizeof(int)];
            foreach (var frame in WithColumns(observations))
            {
                BinaryPrimitives.WriteInt32LittleEndian(head, frame.Length);
                await input.WriteAsync(head, ct);
                await input.WriteAsync(frame, ct);
            }
        });
        try
        {
            var lines = text.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
            return BenchJson.Read<PythonResult>(lines.LastOrDefault(""));
        }
        catch (JsonException unexpected)
        {
            throw new CommandException($"{python} printed no measurement: {unexpected.Message}");
        }
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

using System.Buffers.Binary;
using System.ComponentModel;
using System.Diagnostics;
using System.Text.Json;

namespace Sc2Bridge.Measuring.Peers;

/// <summary>
/// A program of another language that reads observations from its standard input, each after its length (4 bytes,
/// little-endian), and prints its measurements as one JSON value in its last line.
/// </summary>
public static class PeerProcess
{
    private static readonly JsonSerializerOptions Json = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        NumberHandling = System.Text.Json.Serialization.JsonNumberHandling.AllowNamedFloatingPointLiterals,
    };

    /// <summary>Runs it to its end.</summary>
    /// <typeparam name="T">What it prints, in snake case.</typeparam>
    /// <param name="program">The interpreter, or another program.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="environment">Variables beside this process's own.</param>
    /// <param name="observations">What it is fed, as fast as it reads.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="MeasuringException">It cannot be started, fails, or prints something else.</exception>
    public static async Task<T> RunAsync<T>(
        string program,
        IEnumerable<string> arguments,
        IReadOnlyDictionary<string, string> environment,
        IEnumerable<byte[]> observations,
        CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(environment);
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        using var process = Start(start);
        var output = process.StandardOutput.ReadToEndAsync(ct);
        var error = process.StandardError.ReadToEndAsync(ct);
        try
        {
            await FeedAsync(process.StandardInput.BaseStream, observations, ct);
            var text = await output;
            await process.WaitForExitAsync(ct);
            return process.ExitCode == 0
                ? JsonSerializer.Deserialize<T>(LastLine(text) ?? "", Json) ?? throw new JsonException("it printed null")
                : throw new MeasuringException(LastLine(await error) ?? $"exit code {process.ExitCode}");
        }
        catch (JsonException unexpected)
        {
            throw new MeasuringException($"{program} printed no measurement: {unexpected.Message}");
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }
        }
    }

    private static Process Start(ProcessStartInfo start)
    {
        try
        {
            return Process.Start(start)!;
        }
        catch (Win32Exception error)
        {
            throw new MeasuringException($"'{start.FileName}' cannot be started: {error.Message}");
        }
    }

    private static async Task FeedAsync(Stream input, IEnumerable<byte[]> observations, CancellationToken ct)
    {
        var head = new byte[sizeof(int)];
        try
        {
            foreach (var observation in observations)
            {
                BinaryPrimitives.WriteInt32LittleEndian(head, observation.Length);
                await input.WriteAsync(head, ct);
                await input.WriteAsync(observation, ct);
            }

            input.Close();
        }
        catch (IOException)
        {
            // It has ended: why, its exit code and its error say.
        }
    }

    private static string? LastLine(string text) =>
        text.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).LastOrDefault();
}

using System.Diagnostics;
using System.Text.Json;
using System.Text.Json.Serialization;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>What a worker answers: a result, or why there is none.</summary>
internal sealed record Answer<T>(T? Result = default, string? Error = null);

/// <summary>Orders and answers as lines of JSON.</summary>
internal static class LineJson
{
    public static readonly JsonSerializerOptions Options = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,

        // What another program printed, or a damaged file holds, may lack anything.
        RespectRequiredConstructorParameters = true,
        RespectNullableAnnotations = true,
    };

    public static string Write<T>(T value) => JsonSerializer.Serialize(value, Options);

    public static T Read<T>(string line) =>
        JsonSerializer.Deserialize<T>(line, Options) ?? throw new JsonException("null");
}

/// <summary>A process that takes orders: a line of JSON each way (see <see cref="WorkerLoop"/>).</summary>
internal sealed class WorkerProcess : IAsyncDisposable
{
    // It ends by itself when its input does.
    private static readonly TimeSpan Leaving = TimeSpan.FromSeconds(3);

    private readonly Process _process;
    private readonly ChildProcessGuard _guard;
    private readonly Task<string> _errors;

    private WorkerProcess(Process process)
    {
        _process = process;
        _guard = new ChildProcessGuard(process);
        _errors = process.StandardError.ReadToEndAsync();
    }

    private string Program => _process.StartInfo.FileName;

    /// <summary>Starts it and waits for its first line.</summary>
    /// <typeparam name="T">What that says.</typeparam>
    /// <exception cref="CommandException">It cannot be started, or ends at once.</exception>
    public static async Task<(WorkerProcess Process, T Hello)> StartAsync<T>(ProcessStartInfo start, CancellationToken ct)
    {
        var started = new WorkerProcess(ProcessRun.Start(start));
        try
        {
            return (started, await started.ReadAsync<T>(ct));
        }
        catch
        {
            await started.DisposeAsync();
            throw;
        }
    }

    /// <summary>Another process of this program.</summary>
    /// <exception cref="CommandException">It ends at once.</exception>
    public static Task<(WorkerProcess Process, T Hello)> StartOwnAsync<T>(CancellationToken ct, params string[] arguments) =>
        StartAsync<T>(new ProcessStartInfo(OwnProgram.Words[0], [.. OwnProgram.Words.Skip(1), .. arguments]), ct);

    /// <summary>Gives an order and waits for what comes of it.</summary>
    /// <exception cref="CommandException">It could not be done.</exception>
    public async Task<TResult> AskAsync<TOrder, TResult>(TOrder order, CancellationToken ct)
    {
        try
        {
            await _process.StandardInput.WriteLineAsync(LineJson.Write(order).AsMemory(), ct);
            await _process.StandardInput.FlushAsync(ct);
        }
        catch (IOException)
        {
            // It has ended: reading says so, and why.
        }

        var answer = await ReadAsync<Answer<TResult>>(ct);
        return answer.Result ?? throw new CommandException(
            answer.Error ?? $"'{Program}' answered with neither a result nor an error");
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        try
        {
            _process.StandardInput.Close();
        }
        catch (IOException)
        {
            // What it was ordered last, it did not take.
        }

        try
        {
            await _process.WaitForExitAsync().WaitAsync(Leaving);
        }
        catch (TimeoutException)
        {
            _guard.Kill();
            await _process.WaitForExitAsync();
        }

        _guard.Dispose();
        _process.Dispose();
    }

    private async Task<T> ReadAsync<T>(CancellationToken ct)
    {
        var line = await _process.StandardOutput.ReadLineAsync(ct) ?? throw new CommandException(
            $"'{Program}' ended: {ProcessRun.LastLine(await _errors.WaitAsync(ct)) ?? "without a word"}");
        try
        {
            return LineJson.Read<T>(line);
        }
        catch (JsonException problem)
        {
            throw new CommandException($"'{Program}' printed something else than was expected: {problem.Message}");
        }
    }
}

using System.Diagnostics;
using System.Text.Json;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>What a worker answers: a result, or why there is none.</summary>
internal sealed record Answer<T>(T? Result = default, string? Error = null);

/// <summary>What a client in Python says first.</summary>
/// <param name="Client">Which library, which version.</param>
internal sealed record Hello(string Client);

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

    /// <summary>How this program is started as a worker of <c>compare</c>.</summary>
    public static ProcessStartInfo Own(params string[] arguments) =>
        new(OwnProgram.Words[0], [.. OwnProgram.Words.Skip(1), "compare", .. arguments]);

    /// <summary>Gives an order and waits for what comes of it.</summary>
    public async Task<TResult> AskAsync<TOrder, TResult>(TOrder order, CancellationToken ct)
    {
        try
        {
            await _process.StandardInput.WriteLineAsync(BenchJson.Line(order).AsMemory(), ct);
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

        await _process.WaitForExitAsync().WaitAsync(Leaving).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _guard.Kill();
        await _process.WaitForExitAsync();
        _guard.Dispose();
        _process.Dispose();
    }

    private async Task<T> ReadAsync<T>(CancellationToken ct)
    {
        var line = await _process.StandardOutput.ReadLineAsync(ct) ?? throw new CommandException(
            $"'{Program}' ended: {ProcessRun.LastLine(await _errors.WaitAsync(ct)) ?? "without a word"}");
        try
        {
            return BenchJson.Read<T>(line);
        }
        catch (JsonException problem)
        {
            throw new CommandException($"'{Program}' printed something else than was expected: {problem.Message}");
        }
    }
}

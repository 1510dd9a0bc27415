using System.Diagnostics;
using System.Text.Json;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Processes;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>A worker's answer: a result or an error.</summary>
internal sealed record Answer<T>(T? Result = default, string? Error = null);

/// <summary>The first line of a Python client.</summary>
/// <param name="Client">Which library, which version.</param>
internal sealed record Hello(string Client);

/// <summary>A process that takes orders: a line of JSON each way (see <see cref="WorkerLoop"/>).</summary>
internal sealed class WorkerProcess : IAsyncDisposable
{
    // Time for it to exit after its input has ended.
    private static readonly TimeSpan Leaving = TimeSpan.FromSeconds(3);

    private readonly LastLines _errors = new(10);
    private readonly ChildProcess _process;
    private readonly string _program;

    private WorkerProcess(ProcessStartInfo start) =>
        (_process, _program) = (ProcessRun.Start(start, _errors), start.FileName);

    /// <summary>Starts it and waits for its first line.</summary>
    public static async Task<(WorkerProcess Process, T Hello)> StartAsync<T>(ProcessStartInfo start, CancellationToken ct)
    {
        var started = new WorkerProcess(start);
        Failures.MarkCommandBegun();
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
        new(OwnProgram.CommandWords[0], [.. OwnProgram.CommandWords.Skip(1), "compare", .. arguments]);

    /// <summary>Gives an order and waits for its result.</summary>
    public async Task<TResult> AskAsync<TOrder, TResult>(TOrder order, CancellationToken ct)
    {
        try
        {
            await _process.Input.WriteLineAsync(BenchJson.Line(order).AsMemory(), ct);
            await _process.Input.FlushAsync(ct);
        }
        catch (IOException)
        {
            // The process has ended. Reading its answer reports this, with the reason.
        }

        var answer = await ReadAsync<Answer<TResult>>(ct);
        return answer.Result ?? throw new CommandException(
            answer.Error ?? $"'{_program}' answered with neither a result nor an error");
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            _process.Input.Close();
        }
        catch (IOException)
        {
            // The process did not read the last order.
        }

        // One that has not ended is killed.
        await Task.WhenAny(_process.Exited, Task.Delay(Leaving));
        await _process.DisposeAsync();
    }

    private async Task<T> ReadAsync<T>(CancellationToken ct)
    {
        var line = await _process.Output.ReadLineAsync(ct) ?? throw await EndedAsync(ct);
        try
        {
            return BenchJson.Read<T>(line);
        }
        catch (JsonException problem)
        {
            throw new CommandException($"'{_program}' printed something else than was expected: {problem.Message}");
        }
    }

    private async Task<CommandException> EndedAsync(CancellationToken ct)
    {
        await _process.Exited.WaitAsync(ct);
        return new CommandException($"'{_program}' ended: {_errors.Last ?? "without a word"}");
    }
}

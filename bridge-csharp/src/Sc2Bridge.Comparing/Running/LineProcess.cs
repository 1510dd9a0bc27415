using System.ComponentModel;
using System.Diagnostics;
using System.Text.Json;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Measuring;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Comparing.Running;

/// <summary>A process that takes orders: a line of JSON each way (see <see cref="OrderLoop"/>).</summary>
internal sealed class LineProcess : IAsyncDisposable
{
    // It ends by itself when its input does.
    private static readonly TimeSpan Leaving = TimeSpan.FromSeconds(3);

    private readonly Process _process;
    private readonly ChildProcessGuard _leash;
    private readonly Task<string> _errors;

    private LineProcess(Process process)
    {
        _process = process;
        _leash = new ChildProcessGuard(process);
        _errors = process.StandardError.ReadToEndAsync();
    }

    /// <summary>Starts it and hears its first line.</summary>
    /// <typeparam name="T">What that says.</typeparam>
    /// <param name="words">The program and its arguments.</param>
    /// <param name="environment">Variables beside this process's own.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="MeasuringException">It cannot be started, or ends at once.</exception>
    public static async Task<(LineProcess Process, T Hello)> StartAsync<T>(
        IReadOnlyList<string> words, IReadOnlyDictionary<string, string> environment, CancellationToken ct)
    {
        var start = new ProcessStartInfo(words[0], words.Skip(1))
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        LineProcess started;
        try
        {
            started = new LineProcess(Process.Start(start)!);
        }
        catch (Win32Exception problem)
        {
            throw new MeasuringException($"'{words[0]}' cannot be started: {problem.Message}");
        }

        try
        {
            return (started, await started.HearAsync<T>(ct));
        }
        catch
        {
            await started.DisposeAsync();
            throw;
        }
    }

    /// <summary>Gives an order and waits for what comes of it.</summary>
    /// <exception cref="MeasuringException">It could not be done.</exception>
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

        var answer = await HearAsync<Answer<TResult>>(ct);
        return answer.Result ?? throw new MeasuringException(
            answer.Error ?? $"'{_process.StartInfo.FileName}' answered with neither a result nor an error");
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
            _leash.Kill();
            await _process.WaitForExitAsync();
        }

        _leash.Dispose();
        _process.Dispose();
    }

    private async Task<T> HearAsync<T>(CancellationToken ct)
    {
        var line = await ReadAsync(ct);
        try
        {
            return LineJson.Read<T>(line);
        }
        catch (JsonException problem)
        {
            throw new MeasuringException(
                $"'{_process.StartInfo.FileName}' printed something else than was expected: {problem.Message}");
        }
    }

    private async Task<string> ReadAsync(CancellationToken ct) =>
        await _process.StandardOutput.ReadLineAsync(ct)
        ?? throw new MeasuringException(
            $"'{_process.StartInfo.FileName}' ended: {LastLine(await _errors.WaitAsync(ct))}");

    private static string LastLine(string text) =>
        text.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries) is [.., var last]
            ? last
            : "without a word";
}

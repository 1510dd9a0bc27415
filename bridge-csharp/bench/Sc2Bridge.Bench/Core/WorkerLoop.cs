using System.Text.Json;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>
/// The life of a process that a benchmark started: an order a line of its standard input, an answer a line of its
/// standard output. The process ends when its input ends, also in the middle of an order.
/// </summary>
internal static class WorkerLoop
{
    public static async Task RunAsync<TOrder, TResult>(
        object hello, Func<TOrder, CancellationToken, Task<TResult>> obey, CancellationToken ct)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(ct);
        Console.WriteLine(BenchJson.Line(hello));
        try
        {
            var next = ReadAsync(ended);
            while (await next.WaitAsync(ct) is { } line)
            {
                next = ReadAsync(ended);
                Console.WriteLine(BenchJson.Line(await AnswerAsync(line, obey, ended.Token)));
            }
        }
        catch (OperationCanceledException) when (ended.IsCancellationRequested)
        {
            // The process that gave the order has ended, or ends this one: it reads no answer.
        }
    }

    private static async Task<Answer<TResult>> AnswerAsync<TOrder, TResult>(
        string line, Func<TOrder, CancellationToken, Task<TResult>> obey, CancellationToken ct)
    {
        try
        {
            return new Answer<TResult>(await obey(BenchJson.Read<TOrder>(line), ct), null);
        }
        catch (Exception problem) when (problem is CommandException or GameException or RecordingException
            or AddressException or IOException or JsonException)
        {
            return new Answer<TResult>(default, problem.Message);
        }
    }

    // On a thread of its own, because reading the console blocks.
    private static Task<string?> ReadAsync(CancellationTokenSource ended) => Task.Factory.StartNew(
        () =>
        {
            var line = Console.In.ReadLine();
            if (line is null)
            {
                ended.Cancel();
            }

            return line;
        },
        CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}

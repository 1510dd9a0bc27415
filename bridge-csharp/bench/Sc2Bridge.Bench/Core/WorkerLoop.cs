using System.Text.Json;
using System.Threading.Channels;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>
/// The life of a process that a comparison started: an order a line of its standard input, an answer a line of its
/// standard output. When the input ends, so does it, whatever it does then.
/// </summary>
internal static class WorkerLoop
{
    /// <summary>Does what it is ordered.</summary>
    /// <typeparam name="TOrder">What a line says.</typeparam>
    /// <typeparam name="TResult">What is answered.</typeparam>
    /// <param name="hello">Said first.</param>
    /// <param name="obey">Does it.</param>
    /// <param name="ct">Ends the loop.</param>
    public static async Task RunAsync<TOrder, TResult>(
        object hello, Func<TOrder, CancellationToken, Task<TResult>> obey, CancellationToken ct)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var lines = Channel.CreateUnbounded<string>();
        Console.WriteLine(LineJson.Write(hello));
        var reading = ReadAsync(lines.Writer, ended);
        try
        {
            await foreach (var line in lines.Reader.ReadAllAsync(ended.Token))
            {
                Console.WriteLine(LineJson.Write(await AnswerAsync(line, obey, ended.Token)));
            }
        }
        catch (OperationCanceledException) when (ended.IsCancellationRequested)
        {
            // Nobody is there any more who would hear an answer.
        }

        // Where this process was told to end, its input may stay open: who gives orders hears that it has ended.
        if (!ct.IsCancellationRequested)
        {
            await reading;
        }
    }

    private static async Task<Answer<TResult>> AnswerAsync<TOrder, TResult>(
        string line, Func<TOrder, CancellationToken, Task<TResult>> obey, CancellationToken ct)
    {
        try
        {
            return new Answer<TResult>(await obey(LineJson.Read<TOrder>(line), ct), null);
        }
        catch (Exception problem) when (problem is CommandException or GameException or RecordingException
            or AddressException or IOException or JsonException)
        {
            return new Answer<TResult>(default, problem.Message);
        }
    }

    private static async Task ReadAsync(ChannelWriter<string> lines, CancellationTokenSource ended)
    {
        // On a thread of its own: reading the console blocks.
        await Task.Factory.StartNew(
            () =>
            {
                while (Console.In.ReadLine() is { } line)
                {
                    lines.TryWrite(line);
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        await ended.CancelAsync();
    }
}

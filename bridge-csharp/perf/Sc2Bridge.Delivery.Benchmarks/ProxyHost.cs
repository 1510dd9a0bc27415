using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>
/// The bridge as a process of its own that lets a bot play on the benchmark's frames, as <c>sc2bridge match --player
/// api:RACE</c> does: the proxy, the hub and the game's process behind it; and the recorder, where it is asked for.
/// </summary>
internal static class ProxyHost
{
    private const string Name = "proxy-host";

    /// <summary>Whether this process is to be that bridge.</summary>
    public static bool IsMeant(string[] arguments) => arguments is [Name, ..];

    /// <summary>Runs the match that a bot comes for, and says where it connects as its first line.</summary>
    /// <param name="arguments">The folder of frames, and the file to record to or nothing.</param>
    public static async Task<int> RunAsync(string[] arguments)
    {
        using var hub = new Hub(new HubOptions());
        using var recorder = arguments is [_, var file]
            ? new MatchRecorder(
                hub, new FileStream(file, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0),
                new RecorderOptions(), static _ => { }, static _ => { })
            : null;
        var settings = new MatchSettings
        {
            Players = [PlayerSpec.Api(Race.Terran), PlayerSpec.Computer(Race.Zerg, Difficulty.VeryEasy)],
        };
        await using var source = new ProxySource(
            settings,
            FrameGame.Launch(arguments[0]),
            new ProxyOptions { Say = line => Console.WriteLine(line) });
        var runner = new MatchRunner(source, hub, StepRate.Max, 0);
        await runner.StartAsync(CancellationToken.None);
        var end = await runner.RunAsync(CancellationToken.None);
        await (recorder?.EndAsync(end) ?? Task.CompletedTask);
        foreach (var delay in source.Delays)
        {
            Console.WriteLine(System.Text.Json.JsonSerializer.Serialize(delay));
        }

        return 0;
    }
}

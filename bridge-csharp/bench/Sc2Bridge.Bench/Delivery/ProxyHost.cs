using System.CommandLine;
using System.Text.RegularExpressions;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>
/// The bridge as a process of its own that lets a bot play on the benchmark's frames, as <c>sc2bridge match --player
/// api:RACE</c> does: the proxy, the hub and the game's process behind it; and the recorder, where it is asked for.
/// </summary>
internal static partial class ProxyHost
{
    private const string Name = "proxy-host";

    /// <summary>The process's first line.</summary>
    private sealed record Hello(string Address);

    /// <summary>The command that the other process runs.</summary>
    public static Command Create()
    {
        var frames = new Option<string>("--frames") { Required = true };
        var recording = new Option<string?>("--recording");
        return BenchCommand.Worker(
            Name,
            [frames, recording],
            (parsed, ct) => RunAsync(parsed.GetValue(frames)!, parsed.GetValue(recording), ct));
    }

    /// <summary>Starts one, and says where its bot connects.</summary>
    public static async Task<(WorkerProcess Process, Uri Address)> StartAsync(
        string frames, string? recording, CancellationToken ct)
    {
        string[] more = recording is null ? [] : ["--recording", recording];
        var (process, hello) = await WorkerProcess.StartOwnAsync<Hello>(ct, [Name, "--frames", frames, .. more]);
        return (process, new Uri(hello.Address));
    }

    private static async Task RunAsync(string frames, string? recording, CancellationToken ct)
    {
        using var hub = new Hub(new HubOptions());
        using var recorder = recording is null ? null : SteppedMatch.RecordTo(hub, recording);
        var settings = new MatchSettings
        {
            Players = [PlayerSpec.Api(Race.Terran), PlayerSpec.Computer(Race.Zerg, Difficulty.VeryEasy)],
        };
        await using var source = new ProxySource(
            settings,
            FrameGame.Launch(frames),
            new ProxyOptions
            {
                Say = line =>
                {
                    if (Address().Match(line) is { Success: true } address)
                    {
                        Console.WriteLine(LineJson.Write(new Hello(address.Value)));
                    }
                },
            });
        var runner = new MatchRunner(source, hub, StepRate.Max, 0);
        await runner.StartAsync(ct);
        var end = await runner.RunAsync(ct);
        await (recorder?.EndAsync(end) ?? Task.CompletedTask);
    }

    [GeneratedRegex(@"ws://127\.0\.0\.1:\d+/sc2api")]
    private static partial Regex Address();
}

using SC2APIProtocol;
using Sc2Bridge.Encodings;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Bench;

/// <summary>One round of one way to play.</summary>
/// <param name="PerSecond">Steps a second.</param>
/// <param name="AgentCpuUs">Processor time of the agent's process for a step.</param>
/// <param name="BridgeCpuUs">Processor time of this process for a step. The bridge runs in it.</param>
internal sealed record ActingRound(double PerSecond, double AgentCpuUs, double BridgeCpuUs);

/// <summary>
/// A game and an agent that plays it, each in its own process. The agent plays on order, so that several targets can take
/// turns.
/// </summary>
internal sealed class ActingTarget : IAsyncDisposable
{
    private const string Logs = "+logs";

    private const string PythonSc2 = "python-sc2";

    // Between its turns a bot asks for nothing.
    private static readonly TimeSpan Patience = TimeSpan.FromHours(1);

    private readonly CancellationTokenSource _stop = new();
    private readonly Stack<Func<ValueTask>> _endings = new();
    private WorkerProcess? _client;
    private Hub? _hub;

    private ActingTarget(string name) => Name = name;

    private sealed record Order(int Steps, int WarmUp);

    private sealed record Played(double PerSecond, double CpuUs);

    public string Name { get; }

    public string Client { get; private set; } = "";

    /// <summary>python-sc2's own client on the game's API.</summary>
    public static async Task<ActingTarget> DirectAsync(string python, string folder, CancellationToken ct)
    {
        var target = new ActingTarget("python-sc2, no bridge");
        var game = GameProcess.Start(FrameGame.Launch(folder));
        target._endings.Push(game.DisposeAsync);
        await target.LetPlayAsync(python, PythonSc2, $"127.0.0.1:{game.Address.Port}", ct);
        return target;
    }

    /// <summary>
    /// The package sc2bridge on the bridge; or python-sc2 again, which takes the bridge's proxy for its game.
    /// </summary>
    public static async Task<ActingTarget> BridgedAsync(
        string way, string python, string folder, CancellationToken ct)
    {
        var target = new ActingTarget(way);
        var host = await BridgeHost.StartEmptyAsync(ct, new HubOptions { LockstepDeadline = Timeout.InfiniteTimeSpan });
        target._hub = host.Hub;
        target._endings.Push(host.DisposeAsync);
        if (way.EndsWith(Logs, StringComparison.Ordinal))
        {
            way = way[..^Logs.Length];
            target.Log(host.Hub);
        }

        if (way.StartsWith(PythonSc2, StringComparison.Ordinal))
        {
            await target.ProxyAsync(host.Hub, way, python, folder, ct);
            return target;
        }

        var source = new StarCraftSource(Settings(PlayerSpec.Agent(Race.Terran)), FrameGame.Launch(folder));
        target._endings.Push(source.DisposeAsync);
        var runner = new MatchRunner(source, host.Hub, StepRate.Max, stepLimit: 0);
        await runner.StartAsync(ct);
        await target.LetPlayAsync(
            python, way, way.StartsWith("grpc", StringComparison.Ordinal) ? $"grpc://{host.GrpcAddress}"
                : way.StartsWith("shm", StringComparison.Ordinal) ? host.SharedMemoryAddress
                : $"ws://{host.WebAddress}/v1",
            ct);
        await host.Hub.WaitForSubscribersAsync(1, ct);
        target.Run(runner);
        return target;
    }

    public async Task<ActingRound> MeasureAsync(int steps, int warmUp, CancellationToken ct)
    {
        var before = Environment.CpuUsage.TotalTime;
        var played = await _client!.AskAsync<Order, Played>(new Order(steps, warmUp), ct);

        // The log and the recorder finish their work here, so that they do not disturb another target's round.
        while (_hub?.Subscribers.Any(subscriber => subscriber.Queued > 0) == true)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(5), ct);
        }

        var busy = Environment.CpuUsage.TotalTime - before;
        return new ActingRound(played.PerSecond, played.CpuUs, busy.TotalMicroseconds / (steps + warmUp));
    }

    public async ValueTask DisposeAsync()
    {
        await (_client?.DisposeAsync() ?? ValueTask.CompletedTask);
        await _stop.CancelAsync();
        while (_endings.TryPop(out var end))
        {
            await end();
        }

        _stop.Dispose();
    }

    private static MatchSettings Settings(PlayerSpec first) => new()
    {
        Seed = 1,
        Players = [first, PlayerSpec.Computer(Race.Zerg, Difficulty.VeryEasy)],
    };

    // As `sc2bridge match --player api:RACE`: the bot joins while the match starts.
    private async Task ProxyAsync(Hub hub, string way, string python, string folder, CancellationToken ct)
    {
        var listening = new TaskCompletionSource();
        var source = new ProxySource(
            Settings(PlayerSpec.Api(Race.Terran)),
            FrameGame.Launch(folder),
            new ProxyOptions { Say = _ => listening.TrySetResult(), Patience = Patience });
        _endings.Push(source.DisposeAsync);
        var runner = new MatchRunner(source, hub, StepRate.Max, stepLimit: 0);
        var starting = runner.StartAsync(ct);
        await await Task.WhenAny(starting, listening.Task);
        await LetPlayAsync(python, way, $"{source.Address}", ct);
        await starting;
        Run(runner);
    }

    private void Run(MatchRunner runner)
    {
        var running = runner.RunAsync(_stop.Token);
        _endings.Push(async () => await running);
    }

    private async Task LetPlayAsync(string python, string way, string address, CancellationToken ct)
    {
        (_client, var hello) = await WorkerProcess.StartAsync<Hello>(
            PythonScripts.CreateStartInfo(python, "acting", way, address), ct);
        Client = hello.Client;
    }

    private void Log(Hub hub)
    {
        var file = Path.GetTempFileName();
        var recorder = BridgeHost.Record(hub, file);
        var steps = new StepLog(
            hub, TextWriter.Null, new MatchFigures(), CodecLog.Sampled, FrameProbes.All(),
            new SidePath("steps.csv", null, Console.Error.WriteLine),
            new SidePath("codec log", null, Console.Error.WriteLine), recorder.Add);
        _endings.Push(() =>
        {
            steps.Dispose();
            recorder.Dispose();
            File.Delete(file);
            return ValueTask.CompletedTask;
        });
    }
}

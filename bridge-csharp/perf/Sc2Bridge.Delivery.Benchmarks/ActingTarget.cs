using SC2APIProtocol;
using Sc2Bridge.Encodings;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Measuring;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>One round of one way to play.</summary>
/// <param name="PerSecond">Steps a second.</param>
/// <param name="AgentCpuUs">What a step cost the agent's process.</param>
/// <param name="BridgeCpuUs">What it cost this process, in which the bridge runs.</param>
internal sealed record ActingRound(double PerSecond, double AgentCpuUs, double BridgeCpuUs);

/// <summary>
/// A game of its own, as a process, and an agent that plays it, a process too: it goes on when it is told to, so that
/// several take turns.
/// </summary>
internal sealed class ActingTarget : IAsyncDisposable
{
    private const string Logs = "+logs";

    private static readonly MatchSettings _settings = new()
    {
        Seed = 1,
        Players = [PlayerSpec.Agent(Race.Terran), PlayerSpec.Computer(Race.Zerg, Difficulty.VeryEasy)],
    };

    private readonly CancellationTokenSource _stop = new();
    private readonly Stack<IAsyncDisposable> _parts = new();
    private PythonClient? _client;
    private Hub? _hub;

    private ActingTarget(string name) => Name = name;

    /// <summary>As the table calls it.</summary>
    public string Name { get; }

    /// <summary>Which library, which version.</summary>
    public string Client => _client!.Description;

    /// <summary>python-sc2's own client on the game's API.</summary>
    /// <param name="python">The interpreter.</param>
    /// <param name="folder">The game's observations.</param>
    /// <param name="ct">Gives up.</param>
    public static async Task<ActingTarget> DirectAsync(string python, string folder, CancellationToken ct)
    {
        var target = new ActingTarget("python-sc2 on the game's API");
        var game = GameProcess.Start(FrameGame.Launch(folder));
        target._parts.Push(game);
        await target.LetPlayAsync(python, "python-sc2", $"127.0.0.1:{game.Address.Port}", ct);
        return target;
    }

    /// <summary>The package sc2bridge on the bridge.</summary>
    /// <param name="way"><c>grpc</c>, <c>proto</c> or <c>json</c>, behind it <c>+columns</c>, <c>+asyncio</c>, and
    /// <c>+logs</c> for the step log and the recording that <c>sc2bridge match</c> makes.</param>
    /// <param name="python">The interpreter.</param>
    /// <param name="folder">The game's observations.</param>
    /// <param name="ct">Gives up.</param>
    public static async Task<ActingTarget> BridgedAsync(
        string way, string python, string folder, CancellationToken ct)
    {
        var logs = way.EndsWith(Logs, StringComparison.Ordinal);
        way = logs ? way[..^Logs.Length] : way;
        var target = new ActingTarget($"bridge, {way}{(logs ? ", with match's logs and recording" : "")}");
        var hub = new Hub(new HubOptions { LockstepDeadline = Timeout.InfiniteTimeSpan });
        target._parts.Push(new Late(hub.Dispose));
        target._hub = hub;
        var server = await BridgeServer.StartAsync(
            hub, new BridgeServerOptions { GrpcAddress = "127.0.0.1:0", WebAddress = "127.0.0.1:0" }, ct);
        target._parts.Push(server);
        var source = new StarCraftSource(_settings, FrameGame.Launch(folder));
        target._parts.Push(source);
        if (logs)
        {
            target.Log(hub);
        }

        var runner = new MatchRunner(source, hub, StepRate.Max, stepLimit: 0);
        await runner.StartAsync(ct);
        await target.LetPlayAsync(
            python, way, way.StartsWith("grpc", StringComparison.Ordinal)
                ? $"grpc://{server.GrpcAddress}"
                : $"ws://{server.WebAddress}/v1",
            ct);
        await hub.WaitForSubscribersAsync(1, ct);
        var running = runner.RunAsync(target._stop.Token);
        target._parts.Push(new Late(() => running.GetAwaiter().GetResult()));
        return target;
    }

    /// <summary>A round.</summary>
    /// <exception cref="MeasuringException">The agent failed.</exception>
    public async Task<ActingRound> MeasureAsync(int steps, int warmUp, CancellationToken ct)
    {
        var before = Environment.CpuUsage.TotalTime;
        using var result = await _client!.AskAsync(new { steps, warm_up = warmUp }, ct);

        // What the log and the recorder have still to do is not to be done in somebody else's round.
        while (_hub?.Subscribers.Any(subscriber => subscriber.Behind > 0) == true)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(5), ct);
        }

        return new ActingRound(
            result.RootElement.GetProperty("per_second").GetDouble(),
            result.RootElement.GetProperty("cpu_us").GetDouble(),
            (Environment.CpuUsage.TotalTime - before).TotalMicroseconds / (steps + warmUp));
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_client is not null)
        {
            await _client.DisposeAsync();
        }

        await _stop.CancelAsync();
        while (_parts.TryPop(out var part))
        {
            await part.DisposeAsync();
        }

        _stop.Dispose();
    }

    private async Task LetPlayAsync(string python, string way, string address, CancellationToken ct) =>
        _client = await PythonClient.StartAsync(python, "acting_client.py", [way, address], ct);

    private void Log(Hub hub)
    {
        var file = Path.GetTempFileName();
        var recorder = new MatchRecorder(
            hub, File.Create(file), new RecorderOptions(), Console.Error.WriteLine, Console.Error.WriteLine);
        var steps = new StepLog(
            hub, TextWriter.Null, new MatchFigures(), CodecLog.Sampled, FrameProbes.All(),
            new SidePath("steps.csv", null, Console.Error.WriteLine),
            new SidePath("codec log", null, Console.Error.WriteLine), recorder.Add);
        _parts.Push(new Late(() =>
        {
            steps.Dispose();
            recorder.Dispose();
            File.Delete(file);
        }));
    }

    private sealed class Late(System.Action dispose) : IAsyncDisposable
    {
        public ValueTask DisposeAsync()
        {
            dispose();
            return default;
        }
    }
}

using System.Diagnostics;
using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Bench;

/// <summary>
/// A bot that does nothing but step and observe, one request after the other, and reads answers without looking into
/// them: so whatever stands between it and the game shows as a whole.
/// </summary>
internal sealed class SteppingBot : IAsyncDisposable
{
    private static readonly byte[] _step = new Request { Step = new RequestStep { Count = 1 } }.ToByteArray();
    private static readonly byte[] _observe = new Request { Observation = new RequestObservation() }.ToByteArray();

    private readonly ClientWebSocket _socket = new();
    private readonly byte[] _answer = new byte[8 << 20];

    private SteppingBot()
    {
        _socket.Options.KeepAliveInterval = Timeout.InfiniteTimeSpan;
        _socket.Options.Proxy = null;
    }

    /// <summary>What each observation took, from sending the request to having the whole answer, in µs.</summary>
    public List<double> ObservationUs { get; } = [];

    /// <summary>What each step and its observation took together, in µs.</summary>
    public List<double> StepUs { get; } = [];

    /// <summary>The mean size of an observation's answer, in bytes.</summary>
    public double MeanBytes { get; private set; }

    /// <summary>Connects, creates the match where that is wanted, joins it and looks at it once.</summary>
    /// <exception cref="CommandException">The game refused.</exception>
    public static async Task<SteppingBot> JoinAsync(Uri game, bool create, CancellationToken ct)
    {
        var bot = new SteppingBot();
        await bot._socket.ConnectAsync(game, ct);
        if (create)
        {
            await bot.AskAsync(
                new Request
                {
                    CreateGame = new()
                    {
                        LocalMap = new() { MapPath = "Cinder Fortress LE" },
                        PlayerSetup =
                        {
                            new PlayerSetup { Type = PlayerType.Participant },
                            new PlayerSetup
                            {
                                Type = PlayerType.Computer, Race = Race.Zerg, Difficulty = Difficulty.VeryEasy,
                            },
                        },
                    },
                },
                ct);
        }

        await bot.AskAsync(
            new Request { JoinGame = new() { Race = Race.Terran, Options = new() { Raw = true, Score = true } } }, ct);
        await bot.AskAsync(new Request { Observation = new() }, ct);
        return bot;
    }

    /// <summary>Steps and observes so many times, and keeps what it took.</summary>
    public async Task PlayAsync(int steps, bool keep, CancellationToken ct)
    {
        for (var count = 0; count < steps; count++)
        {
            var begun = Stopwatch.GetTimestamp();
            await ExchangeAsync(_step, ct);
            var stepped = Stopwatch.GetTimestamp();
            var bytes = await ExchangeAsync(_observe, ct);
            if (keep)
            {
                ObservationUs.Add(Stopwatch.GetElapsedTime(stepped).TotalMicroseconds);
                StepUs.Add(Stopwatch.GetElapsedTime(begun).TotalMicroseconds);
                MeanBytes += (bytes - MeanBytes) / ObservationUs.Count;
            }
        }
    }

    /// <summary>Leaves the match.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            await AskAsync(new Request { Quit = new RequestQuit() }, CancellationToken.None);
        }
        catch (Exception gone) when (gone is WebSocketException or IOException)
        {
            // What stood behind it has gone first.
        }

        _socket.Dispose();
    }

    private async Task AskAsync(Request request, CancellationToken ct)
    {
        var length = await ExchangeAsync(request.ToByteArray(), ct);
        var answer = Response.Parser.ParseFrom(_answer, 0, length);
        if (answer.Error.Count > 0 || answer.CreateGame?.HasError == true || answer.JoinGame?.HasError == true)
        {
            throw new CommandException($"the game refused {request.RequestCase}: {answer}");
        }
    }

    private async Task<int> ExchangeAsync(byte[] request, CancellationToken ct)
    {
        await _socket.SendAsync(request.AsMemory(), WebSocketMessageType.Binary, endOfMessage: true, ct);
        for (var length = 0; ;)
        {
            var received = await _socket.ReceiveAsync(_answer.AsMemory(length), ct);
            length += received.Count;
            if (received.EndOfMessage)
            {
                return received.MessageType == WebSocketMessageType.Binary
                    ? length
                    : throw new CommandException($"the connection was closed: {_socket.CloseStatusDescription}");
            }
        }
    }
}

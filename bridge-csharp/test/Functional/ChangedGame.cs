using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;

namespace Sc2Bridge.Functional.Tests;

/// <summary>
/// The simulated game as a separate process that reports build 5.0.14, behind a server that changes its answers. Clients cannot
/// distinguish it from a build that behaves in another way.
/// </summary>
internal sealed class ChangedGame : IRequestHandler
{
    private readonly GameProcess _process;
    private readonly GameClient _client;
    private readonly Action<Request, Response, Status> _change;
    private Request.RequestOneofCase? _unanswered;
    private Status _status = Status.Launched;

    private ChangedGame(GameProcess process, GameClient client, Action<Request, Response, Status> change) =>
        (_process, _client, _change) = (process, client, change);

    /// <inheritdoc/>
    public Task Failure { get; } = new TaskCompletionSource().Task;

    /// <summary>Starts the game and the server.</summary>
    /// <param name="change">Changes an answer. Gets the request, the answer, and the game's state before the request.</param>
    /// <param name="unanswered">A kind of request that gets no answer; null for none.</param>
    public static async Task<GameApiServer> StartAsync(
        Action<Request, Response, Status> change, Request.RequestOneofCase? unanswered = null)
    {
        var launch = GameLaunch.SimulatedGame(BridgeProcess.Program[0], [.. BridgeProcess.Program.Skip(1), "simulate", "--build", "5.0.14"]);
        var process = GameProcess.Start(launch);
        var client = await process.ConnectAsync(new GameClientOptions(), Ct);
        return await GameApiServer.StartAsync(new ChangedGame(process, client, change) { _unanswered = unanswered }, new ProxyOptions(), null, Ct);
    }

    /// <inheritdoc/>
    public async ValueTask<RequestOutcome> AnswerAsync(Request request, IBufferWriter<byte> response, CancellationToken left)
    {
        if (request.RequestCase == _unanswered)
        {
            await Task.Delay(Timeout.Infinite, left);
        }

        var before = _status;
        var answer = await _client.ExchangeUnchangedAsync(request, left);
        _status = answer.Status;
        _change(request, answer, before);
        answer.WriteTo(response);
        return RequestOutcome.Answered;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _process.DisposeAsync();
    }
}

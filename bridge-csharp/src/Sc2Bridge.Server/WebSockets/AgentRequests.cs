using Microsoft.Extensions.Logging;
using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// Answers a client's requests while its other messages are handled: a request waits for the game, a description for a
/// match. Descriptions are sent in the order they were asked for, and so are answers to control; answers to requests
/// carry the request's tag and are sent as they come.
/// </summary>
internal sealed class AgentRequests(
    Hub hub, StatusOfBridge status, Identity identity, WebSocketMessageWriter sender, ILogger logger, CancellationToken ended) : IDisposable
{
    private readonly SemaphoreSlim _free = new(WebSocketLimits.MostRequests, WebSocketLimits.MostRequests);
    private Task _descriptions = Task.CompletedTask;
    private Task _controls = Task.CompletedTask;

    /// <summary>Starts to describe a match; waits first where too many answers are pending.</summary>
    /// <exception cref="OperationCanceledException">The session ended meanwhile.</exception>
    public async ValueTask DescribeAsync(DescribeRequest request)
    {
        await _free.WaitAsync(ended);
        var answer = MakeAsync(
            async () => new Event { Description = await hub.CurrentMatch.DescribeAsync(request, identity, ended) }, "", tag: 0);
        _descriptions = SendAsync(answer, _descriptions);
    }

    /// <summary>Starts a request to the game; waits first where too many answers are pending.</summary>
    /// <param name="request">What to ask. Changed: it asks the match of the subscription, unless it names another.</param>
    /// <param name="subscription">The session's. Null before it has one. A request is refused once it has ended.</param>
    /// <exception cref="OperationCanceledException">The session ended meanwhile.</exception>
    public async ValueTask RequestAsync(GameRequest request, Subscription? subscription)
    {
        await _free.WaitAsync(ended);
        var named = request.Agent.Length > 0 ? request.Agent : subscription?.Name ?? "";
        var answer = MakeAsync(
            async () =>
            {
                request.MatchId = MatchOf(subscription, request.MatchId);
                var response = await hub.CurrentMatch.RequestAsync(request, named, identity, ended);
                return new Event { Response = new GameResponse { Tag = request.Tag, Response = response } };
            },
            named,
            request.Tag);
        _ = SendAsync(answer, Task.CompletedTask);
    }

    /// <summary>
    /// Controls the playback at once, and starts to answer; waits first where too many answers are pending.
    /// </summary>
    /// <param name="request">The command. Changed: it controls the match of the subscription, unless it names another.</param>
    /// <param name="subscription">The session's. Null before it has one. After its end only a restart is allowed.</param>
    /// <exception cref="OperationCanceledException">The session ended meanwhile.</exception>
    public async ValueTask ControlAsync(ControlRequest request, Subscription? subscription)
    {
        await _free.WaitAsync(ended);
        var answer = MakeAsync(
            () =>
            {
                // A client may ask for the next match after the end of its own.
                if (request.CommandCase != ControlRequest.CommandOneofCase.Restart)
                {
                    request.MatchId = MatchOf(subscription, request.MatchId);
                }

                return Task.FromResult(new Event { Playback = hub.CurrentMatch.Control(request, identity) });
            },
            subscription?.Name ?? "",
            request.Tag);
        _controls = SendAsync(answer, _controls);
    }

    /// <summary>Starts to tell how the stream does; waits first where too many answers are pending.</summary>
    /// <param name="request">What is asked.</param>
    /// <param name="agent">Who asks; empty before it has subscribed.</param>
    /// <exception cref="OperationCanceledException">The session ended meanwhile.</exception>
    public async ValueTask StatusAsync(StatusRequest request, string agent)
    {
        await _free.WaitAsync(ended);
        var answer = MakeAsync(
            () => Task.FromResult(new Event { Status = status.Answer(request, identity) }), agent, request.Tag);
        _ = SendAsync(answer, Task.CompletedTask);
    }

    // The match that a message is for. Empty: the match that runs.
    private static string MatchOf(Subscription? subscription, string named) =>
        subscription?.RequireRunning() is { } match && named.Length == 0 ? match.MatchId : named;

    /// <summary>Completes when every description that was asked for so far is written or given up.</summary>
    public Task Descriptions => _descriptions;

    /// <summary>Waits until every answer is written or given up.</summary>
    public async Task CompleteAsync()
    {
        for (var i = 0; i < WebSocketLimits.MostRequests; i++)
        {
            await _free.WaitAsync(CancellationToken.None);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _free.Dispose();

    private async Task SendAsync(Task<Event> answer, Task after)
    {
        try
        {
            var made = await answer;
            await after;
            await sender.SendAsync(() => made);
        }
        catch (Exception gone) when (WebSocketEnd.Is(gone))
        {
            // The session ended, or the connection; the reading task sees it too.
        }
        finally
        {
            _free.Release();
        }
    }

    // Whatever goes wrong, the client must get an answer.
    private async Task<Event> MakeAsync(Func<Task<Event>> answer, string agent, uint tag)
    {
        try
        {
            return await answer();
        }
        catch (RequestRefusedException refused)
        {
            return new Event { Error = new Error { Code = refused.Code, Message = refused.Message, Tag = tag } };
        }
        catch (Exception failed) when (failed is not OperationCanceledException)
        {
            ServerLog.RequestFailed(logger, failed, agent);
            return new Event { Error = new Error { Code = StatusCode.Unavailable, Message = failed.Message, Tag = tag } };
        }
    }
}

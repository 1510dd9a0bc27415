using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// Asks on a client's behalf while it goes on talking: a request waits for the game, a description for a match.
/// Descriptions come in the order they were asked for, and so do the answers to control; those to requests carry their
/// tag and come as they are there.
/// </summary>
internal sealed class AgentRequests(Hub hub, MessageSender sender, int most, CancellationToken ended) : IDisposable
{
    private readonly SemaphoreSlim _free = new(most, most);
    private Task _descriptions = Task.CompletedTask;
    private Task _controls = Task.CompletedTask;

    /// <summary>Starts to answer; waits first where too many answers are due already.</summary>
    /// <exception cref="OperationCanceledException">The session ended meanwhile.</exception>
    public async ValueTask DescribeAsync(DescribeRequest request)
    {
        await _free.WaitAsync(ended);
        _descriptions = AnswerAsync(() => DescribedAsync(request), _descriptions);
    }

    /// <summary>Starts to answer; waits first where too many answers are due already.</summary>
    /// <param name="request">What to ask.</param>
    /// <param name="agent">Who asks, where the request does not say; empty before it has subscribed.</param>
    /// <exception cref="OperationCanceledException">The session ended meanwhile.</exception>
    public async ValueTask RequestAsync(GameRequest request, string agent)
    {
        await _free.WaitAsync(ended);
        var named = request.Agent.Length > 0 ? request.Agent : agent;
        _ = AnswerAsync(() => AskedAsync(request, named), Task.CompletedTask);
    }

    /// <summary>
    /// Controls the playback at once, and starts to answer; waits first where too many answers are due.
    /// </summary>
    /// <exception cref="OperationCanceledException">The session ended meanwhile.</exception>
    public async ValueTask ControlAsync(ControlRequest request)
    {
        await _free.WaitAsync(ended);
        var answer = Task.FromResult(Controlled(request));
        _controls = AnswerAsync(() => answer, _controls);
    }

    /// <summary>Completes when every description that was asked for so far is written or given up.</summary>
    public Task Descriptions => _descriptions;

    /// <summary>Waits until every answer is written or given up.</summary>
    public async Task CompleteAsync()
    {
        for (var i = 0; i < most; i++)
        {
            await _free.WaitAsync(CancellationToken.None);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _free.Dispose();

    private async Task AnswerAsync(Func<Task<Event>> answer, Task after)
    {
        try
        {
            var made = await answer();
            await after;
            await sender.SendAsync(() => made);
        }
        catch (OperationCanceledException)
        {
            // The session ended.
        }
        catch (Exception gone) when (WebSocketSession.IsEnding(gone))
        {
            // So did the connection; the reading task sees it too.
        }
        finally
        {
            _free.Release();
        }
    }

    private async Task<Event> DescribedAsync(DescribeRequest request)
    {
        try
        {
            return new Event { Description = await hub.Desk.DescribeAsync(request, ended) };
        }
        catch (RequestRefusedException refused)
        {
            return new Event { Error = new Error { Code = refused.Code, Message = refused.Message } };
        }
    }

    private Event Controlled(ControlRequest request)
    {
        try
        {
            return new Event { Playback = hub.Desk.Control(request) };
        }
        catch (RequestRefusedException refused)
        {
            return new Event { Error = new Error { Code = refused.Code, Message = refused.Message, Tag = request.Tag } };
        }
    }

    private async Task<Event> AskedAsync(GameRequest request, string agent)
    {
        try
        {
            var response = await hub.Desk.RequestAsync(request, agent, ended);
            return new Event { Response = new GameResponse { Tag = request.Tag, Response = response } };
        }
        catch (RequestRefusedException refused)
        {
            return new Event { Error = new Error { Code = refused.Code, Message = refused.Message, Tag = request.Tag } };
        }
        catch (Exception failed) when (failed is not OperationCanceledException)
        {
            // The game's own trouble: its match ends with it, and the one who asked must not wait for ever.
            return new Event
            {
                Error = new Error { Code = StatusCode.Unavailable, Message = failed.Message, Tag = request.Tag },
            };
        }
    }
}

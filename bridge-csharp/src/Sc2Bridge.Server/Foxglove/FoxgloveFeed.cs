using SC2APIProtocol;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// One perspective for one client: a subscription at the hub that takes the newest frame whenever the client has room,
/// and holds no match up. It keeps the newest, so that who subscribes a channel of a paused playback sees it.
/// </summary>
/// <param name="subscription">The hub's; disposed with this.</param>
/// <param name="place">Of the subscription, disposed with this; null where that is the session's own.</param>
/// <param name="match">What is shown.</param>
/// <param name="topics">This perspective's topics that the client wants, with the numbers of its subscriptions.</param>
/// <param name="socket">The client's.</param>
/// <param name="turn">Who sends a frame to the client: one of its feeds at a time.</param>
internal sealed class FoxgloveFeed(
    Subscription subscription, IDisposable? place, FoxgloveMatch match, Func<IEnumerable<(FoxgloveTopic Topic, uint Id)>> topics,
    FoxgloveSocket socket, SemaphoreSlim turn)
    : IDisposable
{
    private volatile bool _isDisposed;
    private ObservationFrame? _newest;
    private ImageData? _shownCreep;
    private ImageData? _shownVisibility;

    /// <summary>The hub's subscription.</summary>
    public Subscription Subscription => subscription;

    /// <summary>Sends what comes, until the last event.</summary>
    /// <param name="lead">Of the client's first feed, which tells the time and jumps for all; else null.</param>
    /// <param name="ct">The session has ended.</param>
    /// <returns>The last event; null where this was disposed before.</returns>
    public async Task<V1.PlayResponse?> RunAsync(FoxgloveLead? lead, CancellationToken ct)
    {
        // Not on the publisher's stack, nor on the reading task's.
        await Task.Yield();
        var hasJumped = false;
        try
        {
            while (true)
            {
                await subscription.ReadyAsync(ct);
                await socket.ClearAsync(subscription, ct);
                var delivery = await subscription.ReadAsync(ct);
                try
                {
                    if (delivery.IsLast)
                    {
                        return delivery.Event!;
                    }

                    if (delivery.Event?.Playback is { } jump)
                    {
                        hasJumped = true;
                        await (lead?.OnJump(jump) ?? Task.CompletedTask);
                    }
                    else if (delivery.Frame is { } frame)
                    {
                        await ShowAsync(frame, tellsTime: lead is not null, hasJumped, ct);
                        if (hasJumped)
                        {
                            hasJumped = false;
                            await (lead?.OnMoved() ?? Task.CompletedTask);
                        }
                    }
                }
                finally
                {
                    delivery.Release();
                }
            }
        }
        catch (ObjectDisposedException) when (_isDisposed)
        {
            return null;
        }
        finally
        {
            // A client that stays holds none of its memory.
            await turn.WaitAsync(CancellationToken.None);
            Keep(null);
            turn.Release();
        }
    }

    /// <summary>Sends the newest frame to a topic that the client has just subscribed.</summary>
    public Task ShowNewestAsync((FoxgloveTopic Topic, uint Id) wanted, CancellationToken ct) => InTurnAsync(
        () =>
        {
            Forget(wanted.Topic.Kind);
            return SendNewestAsync([wanted]);
        },
        ct);

    /// <summary>Sends the newest frame again, to a client that has cleared its scene.</summary>
    public Task ShowAgainAsync(CancellationToken ct) => InTurnAsync(
        () =>
        {
            Forget(TopicKind.Creep, TopicKind.Visibility);
            return SendNewestAsync(topics());
        },
        ct);

    /// <summary>Ends it at once; its run, too.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        subscription.Dispose();
        place?.Dispose();
    }

    private void Keep(ObservationFrame? frame)
    {
        frame?.Retain();
        _newest?.Release();
        _newest = frame;
    }

    private Task ShowAsync(ObservationFrame frame, bool tellsTime, bool hasJumped, CancellationToken ct) => InTurnAsync(
        async () =>
        {
            Keep(frame);
            if (hasJumped)
            {
                Forget(TopicKind.Creep, TopicKind.Visibility);
            }

            // First: at a time before the last a viewer throws away what it has got.
            if (tellsTime)
            {
                await socket.SendBinaryAsync(ServerMessage.Time(match.TimeOf(frame.Header)));
            }

            await SendNewestAsync(topics());
        },
        ct);

    private async Task InTurnAsync(Func<Task> act, CancellationToken ct)
    {
        await turn.WaitAsync(ct);
        try
        {
            await act();
        }
        finally
        {
            turn.Release();
        }
    }

    private async Task SendNewestAsync(IEnumerable<(FoxgloveTopic Topic, uint Id)> wanted)
    {
        if (_newest is not { } frame)
        {
            return;
        }

        var time = match.TimeOf(frame.Header);
        foreach (var (topic, id) in wanted)
        {
            // A grid that is the same as before is not sent.
            ReadOnlyMemory<byte> message = topic.Kind switch
            {
                TopicKind.Observation => frame.Observation,
                TopicKind.Units => Derived().Units,
                TopicKind.Creep => Derived().CreepAfter(ref _shownCreep),
                _ => Derived().VisibilityAfter(ref _shownVisibility),
            };
            if (!message.IsEmpty)
            {
                subscription.Sent(message.Length);
                await socket.SendMessageAsync(id, time, message);
            }
        }

        DerivedMessages Derived() => frame.Encoded(match);
    }

    // Grids that are sent again though they are the same.
    private void Forget(params TopicKind[] grids)
    {
        _shownCreep = grids.Contains(TopicKind.Creep) ? null : _shownCreep;
        _shownVisibility = grids.Contains(TopicKind.Visibility) ? null : _shownVisibility;
    }
}

/// <summary>What a client's first feed does for all of them.</summary>
/// <param name="OnJump">Called before the frame that a playback was moved to.</param>
/// <param name="OnMoved">Called after it.</param>
internal sealed record FoxgloveLead(Func<PlaybackState, Task> OnJump, Func<Task> OnMoved);

using SC2APIProtocol;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// Sends the frames of one perspective to one client. The feed's subscription at the hub takes the newest frame
/// whenever the client can receive a frame, and never delays the match. The feed keeps the newest frame for clients
/// that subscribe to a channel while a playback is paused.
/// </summary>
/// <param name="subscription">The hub's subscription; disposed with this object.</param>
/// <param name="place">The subscription's place among the allowed subscriptions; disposed with this object. Null if the session owns the place.</param>
/// <param name="match">The match.</param>
/// <param name="topics">Returns the subscribed topics of this perspective, with the client's subscription numbers.</param>
/// <param name="socket">The client's socket.</param>
/// <param name="sendLock">Allows one feed of the client at a time to send.</param>
internal sealed class FoxgloveFeed(
    Subscription subscription, IDisposable? place, FoxgloveMatch match, Func<IEnumerable<(FoxgloveTopic Topic, uint Id)>> topics,
    FoxgloveSocket socket, SemaphoreSlim sendLock)
    : IDisposable
{
    private volatile bool _isDisposed;
    private ObservationFrame? _newest;
    private ImageData? _shownCreep;
    private ImageData? _shownVisibility;

    public Subscription Subscription => subscription;

    /// <summary>Sends frames until the last event.</summary>
    /// <param name="callbacks">
    /// The callbacks, if this is the client's first feed. The first feed sends the time and reports jumps for all feeds. Null
    /// for the other feeds.
    /// </param>
    /// <param name="ct">Cancelled when the session ends.</param>
    /// <returns>The last event; null if the feed was disposed before the last event.</returns>
    public async Task<V1.PlayResponse?> RunAsync(FirstFeedCallbacks? callbacks, CancellationToken ct)
    {
        // Continues on a pool thread, so that this loop does not occupy the thread that publishes frames or reads messages.
        await Task.Yield();
        var hasJumped = false;
        try
        {
            while (true)
            {
                await subscription.WaitUntilReadyAsync(ct);
                await socket.WaitUntilSentAsync(subscription, ct);
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
                        await (callbacks?.OnJump(jump) ?? Task.CompletedTask);
                    }
                    else if (delivery.Frame is { } frame)
                    {
                        await ShowAsync(frame, sendsTime: callbacks is not null, hasJumped, ct);
                        if (hasJumped)
                        {
                            hasJumped = false;
                            await (callbacks?.OnMoved() ?? Task.CompletedTask);
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
            // Releases the kept frame, because the client may stay connected long after the match.
            await sendLock.WaitAsync(CancellationToken.None);
            KeepNewest(null);
            sendLock.Release();
        }
    }

    /// <summary>Sends the newest frame on the channel that the client has just subscribed to.</summary>
    public Task ShowNewestAsync((FoxgloveTopic Topic, uint Id) wanted, CancellationToken ct) => WithSendLockAsync(
        () =>
        {
            ForgetSent(wanted.Topic.Kind);
            return SendNewestAsync([wanted]);
        },
        ct);

    /// <summary>Sends the newest frame again to a client that has cleared its scene.</summary>
    public Task ShowAgainAsync(CancellationToken ct) => WithSendLockAsync(
        () =>
        {
            ForgetSent(TopicKind.Creep, TopicKind.Visibility);
            return SendNewestAsync(topics());
        },
        ct);

    /// <summary>Ends the feed and <see cref="RunAsync"/> at once.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        subscription.Dispose();
        place?.Dispose();
    }

    private void KeepNewest(ObservationFrame? frame)
    {
        frame?.Retain();
        _newest?.Release();
        _newest = frame;
    }

    private Task ShowAsync(ObservationFrame frame, bool sendsTime, bool hasJumped, CancellationToken ct) => WithSendLockAsync(
        async () =>
        {
            KeepNewest(frame);
            if (hasJumped)
            {
                ForgetSent(TopicKind.Creep, TopicKind.Visibility);
            }

            // The time is sent first, because a viewer discards its data if the time goes back.
            if (sendsTime)
            {
                await socket.SendBinaryAsync(ServerMessage.Time(match.TimeOf(frame.Header)));
            }

            await SendNewestAsync(topics());
        },
        ct);

    private async Task WithSendLockAsync(Func<Task> sendAsync, CancellationToken ct)
    {
        await sendLock.WaitAsync(ct);
        try
        {
            await sendAsync();
        }
        finally
        {
            sendLock.Release();
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
            // A grid that has not changed is not sent.
            ReadOnlyMemory<byte> message = topic.Kind switch
            {
                TopicKind.Observation => frame.Observation,
                TopicKind.Units => Derived().Units,
                TopicKind.Creep => Derived().CreepIfChanged(ref _shownCreep),
                _ => Derived().VisibilityIfChanged(ref _shownVisibility),
            };
            if (!message.IsEmpty)
            {
                subscription.CountSent(message.Length);
                await socket.SendMessageAsync(id, time, message);
            }
        }

        DerivedMessages Derived() => frame.Encoded(match);
    }

    // The next frame sends these grids again, even if they have not changed.
    private void ForgetSent(params TopicKind[] grids)
    {
        _shownCreep = grids.Contains(TopicKind.Creep) ? null : _shownCreep;
        _shownVisibility = grids.Contains(TopicKind.Visibility) ? null : _shownVisibility;
    }
}

/// <summary>The callbacks that a client's first feed calls for all feeds of the client.</summary>
/// <param name="OnJump">Called before the frame at the new position of a playback is sent.</param>
/// <param name="OnMoved">Called after the frame at the new position was sent.</param>
internal sealed record FirstFeedCallbacks(Func<PlaybackState, Task> OnJump, Func<Task> OnMoved);

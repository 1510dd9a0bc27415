using System.Runtime.ExceptionServices;
using RabbitMQ.Client;
using Sc2Bridge.Broker.Reading;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>
/// Sends what waits to the broker, and again what it has not confirmed, however often it goes away.
/// </summary>
/// <param name="options">The broker.</param>
/// <param name="outbox">What waits.</param>
/// <param name="window">What is not confirmed.</param>
/// <param name="key">The match's name at the broker.</param>
/// <param name="perspectives">The match's perspectives.</param>
/// <param name="announce">Makes the directory's messages; if it is passed true, the last ones.</param>
internal sealed class BrokerSender(
    PublishOptions options, Outbox outbox, SentWindow window, string key, IReadOnlyList<uint> perspectives,
    Func<bool, IReadOnlyList<Outgoing>> announce)
{
    private static readonly TimeSpan _confirmDeadline = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan _look = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan _longestPause = TimeSpan.FromSeconds(5);

    private static int _hasCleared;

    private readonly IReadOnlyList<string> _streams = BrokerStreams.All(key, perspectives);
    private volatile Exception? _failure;
    private volatile string? _blocked;
    private volatile string? _away;
    private volatile int _number;
    private long? _lastAnnounced;

    /// <summary>Why nothing is published at this moment; null if nothing stands in the way.</summary>
    internal string? Problem => _away ?? _blocked;

    /// <summary>Sends until nothing more is added, and all is confirmed.</summary>
    /// <exception cref="OperationCanceledException">It was given up.</exception>
    /// <exception cref="SpoolException">What waits cannot be read.</exception>
    internal async Task RunAsync(CancellationToken ct)
    {
        for (var pause = TimeSpan.FromSeconds(0.25); ;)
        {
            var wasUp = false;
            IConnection? connection = null;
            try
            {
                connection = await options.Address.ConnectAsync($"sc2bridge {key}", ct);
                var channel = await connection.CreateChannelAsync(
                    new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: false),
                    ct);
                var (number, again) = window.Again();
                Listen(connection, channel, number);
                await BrokerStreams.DeclareAsync(channel, key, perspectives, options.MaxAge, options.MaxBytes, ct)
                    .WaitAsync(BrokerAddress.Patience, ct);
                (_away, wasUp) = (null, true);
                if (Interlocked.Exchange(ref _hasCleared, 1) == 0)
                {
                    // Once in a process; what cannot be deleted now is the next one's.
                    _ = MatchDirectory.DeleteExpiredAsync(options.Address, ct)
                        .ContinueWith(static done => done.Exception, TaskScheduler.Default);
                }

                await SendAsync(channel, again, ct);
                return;
            }
            catch (Exception failure) when (failure is not SpoolException && !ct.IsCancellationRequested)
            {
                _away = failure is BrokerException ? failure.Message : BrokerAddress.Cause(failure);
                pause = wasUp ? TimeSpan.FromSeconds(0.25) : pause;
            }
            finally
            {
                await BrokerAddress.CloseAsync(connection);
            }

            await Task.Delay(pause, ct);
            pause = pause * 2 < _longestPause ? pause * 2 : _longestPause;
        }
    }

    private void Listen(IConnection connection, IChannel channel, int number)
    {
        (_failure, _blocked, _number) = (null, null, number);
        channel.BasicAcksAsync += (_, acked) =>
        {
            window.Confirm(number, acked.DeliveryTag, acked.Multiple);
            outbox.Wake();
            return Task.CompletedTask;
        };
        channel.BasicNacksAsync += (_, _) => Fail("the broker could not keep a message");
        channel.BasicReturnAsync += (_, returned) => Fail($"the stream {returned.RoutingKey} is gone");
        channel.ChannelShutdownAsync += (_, shut) => Fail(shut.ReplyText);
        connection.ConnectionShutdownAsync += (_, shut) => Fail(shut.ReplyText);
        connection.ConnectionBlockedAsync += (_, blocked) =>
        {
            _blocked = $"it takes nothing ({blocked.Reason})";
            return Task.CompletedTask;
        };
        connection.ConnectionUnblockedAsync += (_, _) =>
        {
            _blocked = null;
            return Task.CompletedTask;
        };

        Task Fail(string why)
        {
            // A connection that was given up may still be told of its end.
            if (number == _number)
            {
                _failure ??= new BrokerException(why);
                outbox.Wake();
            }

            return Task.CompletedTask;
        }
    }

    private async Task SendAsync(IChannel channel, IReadOnlyList<Outgoing> again, CancellationToken ct)
    {
        foreach (var message in again)
        {
            await PublishAsync(channel, message, ct);
        }

        for (var isLast = false; ;)
        {
            if (_failure is { } failure)
            {
                ExceptionDispatchInfo.Throw(failure);
            }

            // Before what waits, which may be much.
            var now = Environment.TickCount64;
            if (!isLast && !(now - _lastAnnounced < options.Interval.TotalMilliseconds) && window.HasRoom)
            {
                _lastAnnounced = now;
                await AnnounceAsync(channel, isLast, ct);
            }
            else if (window.HasRoom && outbox.TryTake(out var next))
            {
                await PublishAsync(channel, next, ct, window);
            }
            else if (outbox.IsEmptied && window.Unconfirmed == 0)
            {
                if (isLast)
                {
                    return;
                }

                isLast = true;
                await AnnounceAsync(channel, isLast, ct);
            }
            else if (_blocked is null && now - window.OldestMs > _confirmDeadline.TotalMilliseconds)
            {
                throw new BrokerException($"it has confirmed nothing for {_confirmDeadline.TotalSeconds:0} s");
            }
            else
            {
                await outbox.WaitAsync(_look, ct);
            }
        }
    }

    private async Task AnnounceAsync(IChannel channel, bool isLast, CancellationToken ct)
    {
        foreach (var message in announce(isLast))
        {
            await PublishAsync(channel, message, ct, window);
        }
    }

    private async ValueTask PublishAsync(IChannel channel, Outgoing message, CancellationToken ct, SentWindow? window = null)
    {
        // Before it is sent: the confirmation may come at once.
        window?.Add(message);
        var sent = channel.BasicPublishAsync(
            "", _streams[message.Stream], mandatory: true, message.Message.Properties(), message.Message.Body, ct);
        if (!sent.IsCompletedSuccessfully)
        {
            // The socket takes nothing: the broker is blocked, or cut off.
            await sent.AsTask().WaitAsync(_blocked is null ? _confirmDeadline : Timeout.InfiniteTimeSpan, ct);
        }
    }
}

using System.Runtime.ExceptionServices;
using RabbitMQ.Client;
using Sc2Bridge.Broker.Reading;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>
/// Sends queued messages to the broker. If the connection is lost, the sender reconnects and sends all unconfirmed messages again.
/// </summary>
/// <param name="options">The broker and the limits.</param>
/// <param name="outbox">The queued messages.</param>
/// <param name="window">The sent messages that the broker has not confirmed.</param>
/// <param name="key">The match's key at the broker.</param>
/// <param name="perspectives">The match's perspectives.</param>
/// <param name="announce">Makes the announcements. Its argument is true for the final announcements of the match.</param>
internal sealed class BrokerSender(
    PublishOptions options, Outbox outbox, SentWindow window, string key, IReadOnlyList<uint> perspectives,
    Func<bool, IReadOnlyList<Outgoing>> announce)
{
    private static readonly TimeSpan _confirmDeadline = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan _pollInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan _longestPause = TimeSpan.FromSeconds(5);

    private static int _hasDeletedExpired;

    private readonly IReadOnlyList<string> _streams = BrokerStreams.AllNames(key, perspectives);
    private volatile Exception? _failure;
    private volatile string? _blockedReason;
    private volatile string? _outage;
    private volatile int _channelNumber;
    private long? _lastAnnounced;

    /// <summary>Why nothing can be published at the moment; null if the broker accepts messages.</summary>
    internal string? Problem => _outage ?? _blockedReason;

    /// <summary>Sends until no more messages can be added to the outbox and the broker has confirmed all messages.</summary>
    /// <exception cref="OperationCanceledException">Sending was cancelled.</exception>
    /// <exception cref="SpoolException">Queued messages cannot be read from disk.</exception>
    internal async Task RunAsync(CancellationToken ct)
    {
        for (var pause = TimeSpan.FromSeconds(0.25); ;)
        {
            var wasConnected = false;
            IConnection? connection = null;
            try
            {
                connection = await options.Address.ConnectAsync($"sc2bridge {key}", ct);
                var channel = await connection.CreateChannelAsync(
                    new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: false),
                    ct);
                var (number, unconfirmed) = window.StartChannel();
                AttachHandlers(connection, channel, number);
                await BrokerStreams.DeclareAsync(channel, key, perspectives, options.MaxAge, options.MaxBytes, ct)
                    .WaitAsync(BrokerAddress.AnswerTimeout, ct);
                (_outage, wasConnected) = (null, true);
                if (Interlocked.Exchange(ref _hasDeletedExpired, 1) == 0)
                {
                    // Each process deletes expired streams once. If a stream cannot be deleted now, the next process tries again.
                    _ = MatchDirectory.DeleteExpiredAsync(options.Address, ct)
                        .ContinueWith(static done => done.Exception, TaskScheduler.Default);
                }

                await SendAsync(channel, unconfirmed, ct);
                return;
            }
            catch (Exception failure) when (failure is not SpoolException && !ct.IsCancellationRequested)
            {
                _outage = failure is BrokerException ? failure.Message : BrokerAddress.InnermostMessage(failure);
                pause = wasConnected ? TimeSpan.FromSeconds(0.25) : pause;
            }
            finally
            {
                await BrokerAddress.CloseAsync(connection);
            }

            await Task.Delay(pause, ct);
            pause = pause * 2 < _longestPause ? pause * 2 : _longestPause;
        }
    }

    private void AttachHandlers(IConnection connection, IChannel channel, int number)
    {
        (_failure, _blockedReason, _channelNumber) = (null, null, number);
        channel.BasicAcksAsync += (_, acked) =>
        {
            window.Confirm(number, acked.DeliveryTag, acked.Multiple);
            outbox.Wake();
            return Task.CompletedTask;
        };
        channel.BasicNacksAsync += (_, _) => Fail("the broker could not store a message");
        channel.BasicReturnAsync += (_, returned) => Fail($"the stream {returned.RoutingKey} does not exist any more");
        channel.ChannelShutdownAsync += (_, shutdown) => Fail(shutdown.ReplyText);
        connection.ConnectionShutdownAsync += (_, shutdown) => Fail(shutdown.ReplyText);
        connection.ConnectionBlockedAsync += (_, blocked) =>
        {
            _blockedReason = $"it accepts no messages ({blocked.Reason})";
            return Task.CompletedTask;
        };
        connection.ConnectionUnblockedAsync += (_, _) =>
        {
            _blockedReason = null;
            return Task.CompletedTask;
        };

        Task Fail(string why)
        {
            // A failure of an earlier connection is ignored.
            if (number == _channelNumber)
            {
                _failure ??= new BrokerException(why);
                outbox.Wake();
            }

            return Task.CompletedTask;
        }
    }

    private async Task SendAsync(IChannel channel, IReadOnlyList<Outgoing> unconfirmed, CancellationToken ct)
    {
        foreach (var message in unconfirmed)
        {
            await PublishAsync(channel, message, ct);
        }

        for (var isFinal = false; ;)
        {
            if (_failure is { } failure)
            {
                ExceptionDispatchInfo.Throw(failure);
            }

            // Announcements are sent before the queued messages, because the queue may be long.
            var now = Environment.TickCount64;
            if (!isFinal && !(now - _lastAnnounced < options.Interval.TotalMilliseconds) && window.HasRoom)
            {
                _lastAnnounced = now;
                await AnnounceAsync(channel, isFinal, ct);
            }
            else if (window.HasRoom && outbox.TryDequeue(out var next))
            {
                await PublishAsync(channel, next, ct, window);
            }
            else if (outbox.IsDrained && window.Unconfirmed == 0)
            {
                if (isFinal)
                {
                    return;
                }

                isFinal = true;
                await AnnounceAsync(channel, isFinal, ct);
            }
            else if (_blockedReason is null && now - window.OldestMs > _confirmDeadline.TotalMilliseconds)
            {
                throw new BrokerException($"it has not confirmed any message for {_confirmDeadline.TotalSeconds:0} s");
            }
            else
            {
                await outbox.WaitAsync(_pollInterval, ct);
            }
        }
    }

    private async Task AnnounceAsync(IChannel channel, bool isFinal, CancellationToken ct)
    {
        foreach (var message in announce(isFinal))
        {
            await PublishAsync(channel, message, ct, window);
        }
    }

    private async ValueTask PublishAsync(IChannel channel, Outgoing message, CancellationToken ct, SentWindow? window = null)
    {
        // The message is added to the window before it is sent, because the confirmation may arrive at once.
        window?.Add(message);
        var sent = channel.BasicPublishAsync(
            "", _streams[message.Stream], mandatory: true, message.Message.ToProperties(), message.Message.Body, ct);
        if (!sent.IsCompletedSuccessfully)
        {
            // The buffer of the socket is full: the broker accepts no messages, or the connection is lost.
            await sent.AsTask().WaitAsync(_blockedReason is null ? _confirmDeadline : Timeout.InfiniteTimeSpan, ct);
        }
    }
}

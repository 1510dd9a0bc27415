using System.Globalization;
using RabbitMQ.Client;

namespace Sc2Bridge.Broker.Reading;

/// <summary>
/// Reads the messages of a perspective's stream, each message once and in order. If the connection is lost, the reader
/// reconnects. Not thread-safe.
/// </summary>
/// <param name="address">The broker.</param>
/// <param name="key">The match's key.</param>
/// <param name="perspective">The perspective.</param>
/// <param name="from">The position to start at; see <see cref="StreamConsumer.OpenAsync"/>.</param>
internal sealed class StreamReader(BrokerAddress address, string key, uint perspective, object from) : IAsyncDisposable
{
    // The publisher counts as ended if SilenceTimeout passes this many times without a message, and the match is no longer announced.
    private const int MaxSilentPeriods = 3;

    private static readonly TimeSpan _retryDelay = TimeSpan.FromSeconds(0.5);

    private readonly string _stream = BrokerStreams.FramesStream(key, perspective);
    private readonly MessageOrder _order = new();
    private IConnection? _connection;
    private StreamConsumer? _consumer;

    /// <summary>
    /// The time without a message after which the reader reconnects. If a node of RabbitMQ 3.10 has lost its cluster, some
    /// readers of the node get neither messages nor an error.
    /// </summary>
    internal TimeSpan SilenceTimeout { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>How long the broker or the stream may be unavailable before reading fails.</summary>
    internal TimeSpan OutageTimeout { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>Waits for the next message. The result also states whether messages before this message were lost.</summary>
    /// <exception cref="BrokerException">The broker or the stream was unavailable for too long, or the publisher has ended.</exception>
    internal async ValueTask<(StreamMessage Message, bool IsAfterLoss)> ReadAsync(CancellationToken ct)
    {
        var (since, silentPeriods, isPublisherGone) = (Environment.TickCount64, 0, false);
        while (true)
        {
            try
            {
                if (_consumer is null)
                {
                    _connection = await address.ConnectAsync($"sc2bridge reads {_stream}", ct);
                    _consumer = await StreamConsumer.OpenAsync(
                        _connection, _stream, _order.LastOffset < 0 ? from : _order.LastOffset + 1, ct);
                    since = Environment.TickCount64;
                }

                if (await _consumer.TryReadAsync(SilenceTimeout, ct) is not { } message)
                {
                    isPublisherGone = ++silentPeriods >= MaxSilentPeriods && !(await MatchDirectory.ReadAsync(_connection!, includesPast: false, ct)).Any(
                        match => match.Announcement.Key == key && match.IsRunning);
                    await CloseAsync();
                    since = Environment.TickCount64;
                    if (isPublisherGone)
                    {
                        throw new BrokerException(string.Create(
                            CultureInfo.InvariantCulture,
                            $"its publisher is gone (nothing was heard of {key} for {silentPeriods * SilenceTimeout.TotalSeconds:0} s)"));
                    }

                    continue;
                }

                if (_order.Judge(message) is var verdict and not MessageVerdict.Skip)
                {
                    return (message, verdict == MessageVerdict.DeliverAfterLoss);
                }

                (since, silentPeriods) = (Environment.TickCount64, 0);
            }
            catch (BrokerException) when (!isPublisherGone)
            {
                silentPeriods = 0;
                await CloseAsync();
                if (Environment.TickCount64 - since > OutageTimeout.TotalMilliseconds)
                {
                    throw;
                }

                await Task.Delay(_retryDelay, ct);
            }
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => CloseAsync();

    private async ValueTask CloseAsync()
    {
        var connection = _connection;
        (_consumer, _connection) = (null, null);
        await BrokerAddress.CloseAsync(connection);
    }
}

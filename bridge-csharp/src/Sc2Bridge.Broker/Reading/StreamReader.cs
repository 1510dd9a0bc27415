using System.Globalization;
using RabbitMQ.Client;

namespace Sc2Bridge.Broker.Reading;

/// <summary>
/// Reads what was published of a perspective, each message once and in order, however often the broker goes away. For one
/// reader at a time.
/// </summary>
/// <param name="address">The broker.</param>
/// <param name="key">The match's.</param>
/// <param name="perspective">The perspective.</param>
/// <param name="from">As of <see cref="StreamConsumer.OpenAsync"/>.</param>
internal sealed class StreamReader(BrokerAddress address, string key, uint perspective, object from) : IAsyncDisposable
{
    // After so many a match that is not announced any more has no publisher.
    private const int MostSilences = 3;

    private static readonly TimeSpan _pause = TimeSpan.FromSeconds(0.5);

    private readonly string _stream = BrokerStreams.Frames(key, perspective);
    private readonly MessageOrder _order = new();
    private IConnection? _connection;
    private StreamConsumer? _consumer;

    /// <summary>
    /// After how long without a message reading begins anew: RabbitMQ 3.10 leaves some readers of a node that was cut off without
    /// messages, and without an error.
    /// </summary>
    internal TimeSpan Silence { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>How long the broker may be away, or the stream; then reading ends.</summary>
    internal TimeSpan Patience { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>The next message, and whether others before it are lost.</summary>
    /// <exception cref="BrokerException">The broker, or the stream, was away for too long, or the publisher is gone.</exception>
    internal async ValueTask<(StreamMessage Message, bool IsAfterLoss)> ReadAsync(CancellationToken ct)
    {
        var (since, silences, isGone) = (Environment.TickCount64, 0, false);
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

                if (await _consumer.TryReadAsync(Silence, ct) is not { } message)
                {
                    isGone = ++silences >= MostSilences && !(await MatchDirectory.ReadAsync(_connection!, past: false, ct)).Any(
                        one => one.Announcement.Key == key && one.IsRunning);
                    await CloseAsync();
                    since = Environment.TickCount64;
                    if (isGone)
                    {
                        throw new BrokerException(string.Create(
                            CultureInfo.InvariantCulture,
                            $"its publisher is gone (nothing was heard of {key} for {silences * Silence.TotalSeconds:0} s)"));
                    }

                    continue;
                }

                if (_order.Of(message) is var turn and not Turn.Leave)
                {
                    return (message, turn == Turn.Lost);
                }

                (since, silences) = (Environment.TickCount64, 0);
            }
            catch (BrokerException) when (!isGone)
            {
                silences = 0;
                await CloseAsync();
                if (Environment.TickCount64 - since > Patience.TotalMilliseconds)
                {
                    throw;
                }

                await Task.Delay(_pause, ct);
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

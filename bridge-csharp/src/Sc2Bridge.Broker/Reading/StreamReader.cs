using RabbitMQ.Client;

namespace Sc2Bridge.Broker.Reading;

/// <summary>
/// Reads what was published to a stream, each message once and in order, however often the broker goes away. For one reader
/// at a time.
/// </summary>
/// <param name="address">The broker.</param>
/// <param name="stream">Its name.</param>
/// <param name="from">As of <see cref="StreamConsumer.OpenAsync"/>.</param>
internal sealed class StreamReader(BrokerAddress address, string stream, object from) : IAsyncDisposable
{
    private static readonly TimeSpan _pause = TimeSpan.FromSeconds(0.5);

    // RabbitMQ 3.10 leaves some readers of a node that was cut off without messages, and without an error.
    private static readonly TimeSpan _silence = TimeSpan.FromSeconds(15);

    private readonly MessageOrder _order = new();
    private IConnection? _connection;
    private StreamConsumer? _consumer;

    /// <summary>Why it reads nothing at this moment; null where it does.</summary>
    internal string? Problem { get; private set; }

    /// <summary>How long the broker may be away, or the stream; then reading ends.</summary>
    internal TimeSpan Patience { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>The next message, and whether others before it are lost.</summary>
    /// <exception cref="BrokerException">The broker, or the stream, was away for too long.</exception>
    internal async ValueTask<(StreamMessage Message, bool IsAfterLoss)> ReadAsync(CancellationToken ct)
    {
        for (var since = Environment.TickCount64; ;)
        {
            try
            {
                if (_consumer is null)
                {
                    _connection = await address.ConnectAsync($"sc2bridge reads {stream}", ct);
                    _consumer = await StreamConsumer.OpenAsync(
                        _connection, stream, _order.LastOffset < 0 ? from : _order.LastOffset + 1, ct);
                    (Problem, since) = (null, Environment.TickCount64);
                }

                if (await _consumer.TryReadAsync(_silence, ct) is not { } message)
                {
                    await CloseAsync();
                    since = Environment.TickCount64;
                    continue;
                }

                if (_order.Of(message) is var turn and not Turn.Leave)
                {
                    return (message, turn == Turn.Lost);
                }

                since = Environment.TickCount64;
            }
            catch (BrokerException failure)
            {
                Problem = failure.Message;
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

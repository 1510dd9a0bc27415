using System.Threading.Channels;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Sc2Bridge.Broker.Reading;

/// <summary>
/// Reads a stream's messages as the broker gives them, from an offset on, a bounded number ahead. For one reader at a time.
/// </summary>
internal sealed class StreamConsumer : IAsyncDisposable
{
    // Of 3 KiB each; the half is acknowledged at a time.
    private const ushort Prefetch = 128;

    private readonly IChannel _channel;
    private readonly Channel<(StreamMessage Message, ulong Tag)> _delivered =
        Channel.CreateUnbounded<(StreamMessage, ulong)>(new() { SingleReader = true });

    private int _unacknowledged;

    private StreamConsumer(IChannel channel) => _channel = channel;

    /// <summary>Begins to read.</summary>
    /// <param name="connection">To the broker.</param>
    /// <param name="stream">Its name.</param>
    /// <param name="from"><c>first</c>, <c>last</c>, <c>next</c>, an offset, or a time.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="BrokerException">There is no such stream, or the broker fails.</exception>
    internal static async Task<StreamConsumer> OpenAsync(
        IConnection connection, string stream, object from, CancellationToken ct)
    {
        try
        {
            var consumer = new StreamConsumer(
                await connection.CreateChannelAsync(cancellationToken: ct).WaitAsync(BrokerAddress.Patience, ct));
            try
            {
                await consumer.BeginAsync(stream, from, ct).WaitAsync(BrokerAddress.Patience, ct);
                return consumer;
            }
            catch
            {
                await consumer.DisposeAsync();
                throw;
            }
        }
        catch (Exception failure) when (!ct.IsCancellationRequested)
        {
            throw new BrokerException($"the stream {stream} cannot be read: {BrokerAddress.Cause(failure)}", failure);
        }
    }

    /// <summary>The next message.</summary>
    /// <exception cref="BrokerException">The broker is gone, or it is no message of ours.</exception>
    internal async ValueTask<StreamMessage> ReadAsync(CancellationToken ct)
    {
        try
        {
            var (message, tag) = await _delivered.Reader.ReadAsync(ct);
            if (++_unacknowledged >= Prefetch / 2)
            {
                _unacknowledged = 0;
                await _channel.BasicAckAsync(tag, multiple: true, ct);
            }

            return message;
        }
        catch (ChannelClosedException closed)
        {
            throw closed.InnerException as BrokerException ?? new BrokerException("the broker ended the stream", closed);
        }
        catch (Exception failure) when (failure is not BrokerException && !ct.IsCancellationRequested)
        {
            throw new BrokerException(BrokerAddress.Cause(failure), failure);
        }
    }

    /// <summary>The next message, where it comes within a time; null else.</summary>
    /// <exception cref="BrokerException">As of <see cref="ReadAsync"/>.</exception>
    internal async Task<StreamMessage?> TryReadAsync(TimeSpan most, CancellationToken ct)
    {
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(ct);
        enough.CancelAfter(most);
        try
        {
            return await ReadAsync(enough.Token);
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync() => await Task.WhenAny(
        // No cancelling: what was delivered and not taken would have to be rejected, which streams refuse.
        _channel.DisposeAsync().AsTask().ContinueWith(static closed => closed.Exception, TaskScheduler.Default),
        Task.Delay(TimeSpan.FromSeconds(2)));

    private async Task BeginAsync(string stream, object from, CancellationToken ct)
    {
        await _channel.QueueDeclarePassiveAsync(stream, ct);
        await _channel.BasicQosAsync(0, Prefetch, global: false, ct);
        var consumer = new AsyncEventingBasicConsumer(_channel);
        consumer.ReceivedAsync += (_, delivery) =>
        {
            try
            {
                // Its memory is the library's.
                _delivered.Writer.TryWrite(
                    (StreamMessage.Read(delivery.BasicProperties, delivery.Body.ToArray()), delivery.DeliveryTag));
            }
            catch (BrokerException) when (stream is BrokerStreams.Directory or BrokerStreams.Running)
            {
                // One that no bridge wrote hides no match.
                return _channel.BasicAckAsync(delivery.DeliveryTag, multiple: false).AsTask();
            }
            catch (BrokerException strange)
            {
                _delivered.Writer.TryComplete(strange);
            }

            return Task.CompletedTask;
        };
        consumer.UnregisteredAsync += (_, _) => End("the broker ended the reading");
        consumer.ShutdownAsync += (_, shut) => End(shut.ReplyText);
        await _channel.BasicConsumeAsync(
            stream, autoAck: false, consumerTag: "", noLocal: false, exclusive: false,
            new Dictionary<string, object?> { ["x-stream-offset"] = from }, consumer, ct);

        Task End(string why)
        {
            _delivered.Writer.TryComplete(new BrokerException(why));
            return Task.CompletedTask;
        }
    }
}

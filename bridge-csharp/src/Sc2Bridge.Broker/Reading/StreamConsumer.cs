using System.Threading.Channels;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Sc2Bridge.Broker.Reading;

/// <summary>
/// Reads the messages of a stream in the broker's order, from an offset on. Prefetches a limited number of messages. Not thread-safe.
/// </summary>
internal sealed class StreamConsumer : IAsyncDisposable
{
    // The most unacknowledged messages, of about 3 KiB each. When half of this number has been read, these messages are acknowledged together.
    private const ushort Prefetch = 128;

    private readonly IChannel _channel;
    private readonly Channel<(StreamMessage Message, ulong Tag)> _delivered =
        Channel.CreateUnbounded<(StreamMessage, ulong)>(new() { SingleReader = true });

    private int _unacknowledged;

    private StreamConsumer(IChannel channel) => _channel = channel;

    /// <summary>Connects to a stream and starts to read.</summary>
    /// <param name="connection">The connection to the broker.</param>
    /// <param name="stream">The stream's name.</param>
    /// <param name="from">The start: <c>first</c>, <c>last</c>, <c>next</c>, an offset, or a time.</param>
    /// <param name="ct">Cancels the start.</param>
    /// <exception cref="BrokerException">The stream does not exist, or the broker fails.</exception>
    internal static async Task<StreamConsumer> OpenAsync(
        IConnection connection, string stream, object from, CancellationToken ct)
    {
        try
        {
            var consumer = new StreamConsumer(
                await connection.CreateChannelAsync(cancellationToken: ct).WaitAsync(BrokerAddress.AnswerTimeout, ct));
            try
            {
                await consumer.StartConsumingAsync(stream, from, ct).WaitAsync(BrokerAddress.AnswerTimeout, ct);
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
            throw new BrokerException($"the stream {stream} cannot be read: {BrokerAddress.InnermostMessage(failure)}", failure);
        }
    }

    /// <summary>Waits for the next message.</summary>
    /// <exception cref="BrokerException">The connection is lost, or the message is not from sc2bridge.</exception>
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
            throw new BrokerException(BrokerAddress.InnermostMessage(failure), failure);
        }
    }

    /// <summary>Waits for the next message. Returns null if no message arrives in time.</summary>
    /// <exception cref="BrokerException">See <see cref="ReadAsync"/>.</exception>
    internal async Task<StreamMessage?> TryReadAsync(TimeSpan timeout, CancellationToken ct)
    {
        using var timedOut = CancellationTokenSource.CreateLinkedTokenSource(ct);
        timedOut.CancelAfter(timeout);
        try
        {
            return await ReadAsync(timedOut.Token);
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync() => await Task.WhenAny(
        // The consumer is not cancelled first, because the library would then reject the delivered messages. Streams do not support rejection.
        _channel.DisposeAsync().AsTask().ContinueWith(static closed => closed.Exception, TaskScheduler.Default),
        Task.Delay(TimeSpan.FromSeconds(2)));

    private async Task StartConsumingAsync(string stream, object from, CancellationToken ct)
    {
        await _channel.QueueDeclarePassiveAsync(stream, ct);
        await _channel.BasicQosAsync(0, Prefetch, global: false, ct);
        var consumer = new AsyncEventingBasicConsumer(_channel);
        consumer.ReceivedAsync += (_, delivery) =>
        {
            try
            {
                // The body is copied, because the library reuses the body's memory.
                _delivered.Writer.TryWrite(
                    (StreamMessage.FromDelivery(delivery.BasicProperties, delivery.Body.ToArray()), delivery.DeliveryTag));
            }
            catch (BrokerException) when (stream is BrokerStreams.DirectoryStream or BrokerStreams.RunningStream)
            {
                // Another program's message in the directory must not hide the matches.
                return _channel.BasicAckAsync(delivery.DeliveryTag, multiple: false).AsTask();
            }
            catch (BrokerException foreign)
            {
                _delivered.Writer.TryComplete(foreign);
            }

            return Task.CompletedTask;
        };
        consumer.UnregisteredAsync += (_, _) => CompleteWithError("the broker cancelled the consumer");
        consumer.ShutdownAsync += (_, shutdown) => CompleteWithError(shutdown.ReplyText);
        await _channel.BasicConsumeAsync(
            stream, autoAck: false, consumerTag: "", noLocal: false, exclusive: false,
            new Dictionary<string, object?> { ["x-stream-offset"] = from }, consumer, ct);

        Task CompleteWithError(string why)
        {
            _delivered.Writer.TryComplete(new BrokerException(why));
            return Task.CompletedTask;
        }
    }
}

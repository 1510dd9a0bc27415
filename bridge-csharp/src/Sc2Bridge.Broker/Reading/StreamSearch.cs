using RabbitMQ.Client;

namespace Sc2Bridge.Broker.Reading;

/// <summary>Finds the offset at which to start reading a stream of frames. A head is a frame that can be decoded without earlier frames.</summary>
internal sealed class StreamSearch(IConnection connection, string stream)
{
    // The maximum number of frames in a group.
    private const long MaxGroupFrames = 64;

    private static readonly TimeSpan _messageTimeout = TimeSpan.FromSeconds(2);

    /// <summary>Finds an offset shortly before the newest frames. A head follows soon after this offset.</summary>
    internal async Task<object> FindNewestAsync(CancellationToken ct)
    {
        await using var consumer = await StreamConsumer.OpenAsync(connection, stream, "last", ct);
        var newest = await consumer.TryReadAsync(_messageTimeout, ct);
        return newest is null ? "first" : Math.Max(0, newest.Offset - MaxGroupFrames);
    }

    /// <summary>Finds the offset of the last head that is not beyond a limit. If all heads are beyond the limit, finds the first head.</summary>
    /// <param name="isBeyond">Whether a frame is beyond the limit. All frames after such a frame are beyond the limit too.</param>
    /// <param name="ct">Cancels the search.</param>
    internal async Task<object> FindHeadAsync(Func<StreamMessage, bool> isBeyond, CancellationToken ct)
    {
        if (await FindFromAsync("first", IsHead, ct) is not { } first || await FindFromAsync("last", static _ => true, ct) is not { } last)
        {
            return "first";
        }

        // Invariant of the binary search: the head at `foundOffset` is not beyond the limit, or it is the first head.
        var (lowOffset, highOffset, foundOffset) = (first.Offset, last.Offset + 1, first.Offset);
        while (lowOffset + 1 < highOffset)
        {
            var middle = lowOffset + ((highOffset - lowOffset) / 2);
            if (await FindFromAsync(middle, IsHead, ct, last.Offset) is { } head && !isBeyond(head))
            {
                (lowOffset, foundOffset) = (Math.Max(middle, head.Offset), Math.Max(foundOffset, head.Offset));
            }
            else
            {
                highOffset = middle;
            }
        }

        return foundOffset;
    }

    private static bool IsHead(StreamMessage message) => message is { Kind: MessageKind.Frame, IsHead: true };

    private async Task<StreamMessage?> FindFromAsync(
        object offset, Func<StreamMessage, bool> isWanted, CancellationToken ct, long? last = null)
    {
        await using var consumer = await StreamConsumer.OpenAsync(connection, stream, offset, ct);
        while (await consumer.TryReadAsync(_messageTimeout, ct) is { } message)
        {
            if (isWanted(message))
            {
                return message;
            }

            if (message.Kind == MessageKind.End || message.Offset >= last)
            {
                break;
            }
        }

        return null;
    }
}

using RabbitMQ.Client;

namespace Sc2Bridge.Broker.Reading;

/// <summary>Finds where in a stream of frames to begin to read.</summary>
internal sealed class StreamSearch(IConnection connection, string stream)
{
    // The frames of a group.
    private const long MostToHead = 64;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(2);

    /// <summary>An offset from which the newest frames come soon, a head among the first.</summary>
    internal async Task<object> NewestAsync(CancellationToken ct)
    {
        await using var consumer = await StreamConsumer.OpenAsync(connection, stream, "last", ct);
        var newest = await consumer.TryReadAsync(_patience, ct);
        return newest is null ? "first" : Math.Max(0, newest.Offset - MostToHead);
    }

    /// <summary>The offset of the last head that is not beyond something.</summary>
    /// <param name="isBeyond">Whether a frame is; all behind one that is are too.</param>
    /// <param name="ct">Gives up.</param>
    internal async Task<object> HeadAsync(Func<StreamMessage, bool> isBeyond, CancellationToken ct)
    {
        if (await AtAsync("first", IsHead, ct) is not { } first || await AtAsync("last", static _ => true, ct) is not { } last)
        {
            return "first";
        }

        // The head behind `low` is not beyond, or is the first.
        var (low, high, found) = (first.Offset, last.Offset + 1, first.Offset);
        while (low + 1 < high)
        {
            var middle = low + ((high - low) / 2);
            if (await AtAsync(middle, IsHead, ct, last.Offset) is { } head && !isBeyond(head))
            {
                (low, found) = (Math.Max(middle, head.Offset), Math.Max(found, head.Offset));
            }
            else
            {
                high = middle;
            }
        }

        return found;
    }

    private static bool IsHead(StreamMessage message) => message is { Kind: MessageKind.Frame, IsHead: true };

    private async Task<StreamMessage?> AtAsync(
        object offset, Func<StreamMessage, bool> isWanted, CancellationToken ct, long? last = null)
    {
        await using var consumer = await StreamConsumer.OpenAsync(connection, stream, offset, ct);
        while (await consumer.TryReadAsync(_patience, ct) is { } message)
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

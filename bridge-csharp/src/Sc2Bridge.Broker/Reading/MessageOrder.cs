namespace Sc2Bridge.Broker.Reading;

/// <summary>What a reader must do with a message.</summary>
internal enum MessageVerdict
{
    /// <summary>Deliver the message: it is the expected message.</summary>
    Deliver,

    /// <summary>Skip the message: it is a duplicate, it will arrive again in order, or it precedes the first head (see <see cref="MessageOrder"/>).</summary>
    Skip,

    /// <summary>
    /// Deliver the message, but report that messages before it are lost. The message is a head, so reading can continue from it.
    /// </summary>
    DeliverAfterLoss,
}

/// <summary>
/// Selects the messages of a stream in the order of publication, each message once, beginning with a head. A head is a frame that
/// can be decoded without earlier frames. Not thread-safe.
/// </summary>
internal sealed class MessageOrder
{
    /// <summary>The number of later messages after which the expected message counts as lost.</summary>
    internal const int MaxOutOfOrder = 4096;

    private long? _nextSequence;
    private long _lastOffset = -1;
    private int _skippedCount;
    private bool _isExpectedLost;

    /// <summary>The largest offset so far; -1 before the first message.</summary>
    internal long LastOffset => _lastOffset;

    /// <summary>Decides what to do with a message.</summary>
    internal MessageVerdict Judge(StreamMessage message)
    {
        if (message.Offset <= _lastOffset)
        {
            // The broker delivers whole chunks of a stream, so some messages arrive twice.
            return MessageVerdict.Skip;
        }

        // A skipped offset means that the broker has deleted messages. Before the first delivered message, such gaps are normal.
        _isExpectedLost |= _nextSequence is not null && message.Offset != _lastOffset + 1 && _lastOffset >= 0 && message.Sequence > _nextSequence;
        _lastOffset = message.Offset;
        if (!_isExpectedLost && message.Sequence == _nextSequence)
        {
            return Accept(message);
        }

        _isExpectedLost |= _nextSequence is not null && message.Sequence > _nextSequence && ++_skippedCount > MaxOutOfOrder;
        if (_nextSequence is null ? !IsHead(message) : !_isExpectedLost || message.Sequence < _nextSequence || !IsHead(message))
        {
            return MessageVerdict.Skip;
        }

        var verdict = _nextSequence is null ? MessageVerdict.Deliver : MessageVerdict.DeliverAfterLoss;
        Accept(message);
        return verdict;
    }

    // The end of a match counts as a head, because a match may end before the next head.
    private static bool IsHead(StreamMessage message) => message.Kind == MessageKind.Frame ? message.IsHead : message.Kind == MessageKind.End;

    private MessageVerdict Accept(StreamMessage message)
    {
        (_nextSequence, _skippedCount, _isExpectedLost) = (message.Sequence + 1, 0, false);
        return MessageVerdict.Deliver;
    }
}

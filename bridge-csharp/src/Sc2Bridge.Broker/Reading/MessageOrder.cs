namespace Sc2Bridge.Broker.Reading;

/// <summary>What a reader does with a message.</summary>
internal enum Turn
{
    /// <summary>It is the next one.</summary>
    Take,

    /// <summary>It was taken before, comes again in its turn, or is before the head that is waited for.</summary>
    Leave,

    /// <summary>
    /// Messages are lost that were published: it is a head, with which to begin anew.
    /// </summary>
    Lost,
}

/// <summary>
/// Makes of what a stream holds what was published, each message once and in order, from a head on. Not thread-safe.
/// </summary>
internal sealed class MessageOrder
{
    /// <summary>After so many that were not the next one, that one does not come any more.</summary>
    internal const int MostBetween = 4096;

    private long? _next;
    private long _lastOffset = -1;
    private int _left;
    private bool _isLost;

    /// <summary>The newest offset that was seen; -1 before the first.</summary>
    internal long LastOffset => _lastOffset;

    /// <summary>What to do with a message of the stream.</summary>
    internal Turn Of(StreamMessage message)
    {
        if (message.Offset <= _lastOffset)
        {
            // The broker gives a whole chunk, of which some was seen.
            return Turn.Leave;
        }

        // After the first, the broker leaves none out but those that it does not keep any more.
        _isLost |= _next is not null && message.Offset != _lastOffset + 1 && _lastOffset >= 0 && message.Sequence > _next;
        _lastOffset = message.Offset;
        if (!_isLost && message.Sequence == _next)
        {
            return Take(message);
        }

        _isLost |= _next is not null && message.Sequence > _next && ++_left > MostBetween;
        if (_next is null ? !IsHead(message) : !_isLost || message.Sequence < _next || !IsHead(message))
        {
            return Turn.Leave;
        }

        var turn = _next is null ? Turn.Take : Turn.Lost;
        Take(message);
        return turn;
    }

    // A match may end before the next head.
    private static bool IsHead(StreamMessage message) => message.Kind == MessageKind.Frame ? message.IsHead : message.Kind == MessageKind.End;

    private Turn Take(StreamMessage message)
    {
        (_next, _left, _isLost) = (message.Sequence + 1, 0, false);
        return Turn.Take;
    }
}

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Goes along the messages of one channel. It holds the chunk that it stands in. Not thread-safe.
/// </summary>
/// <param name="store">The file's chunks.</param>
/// <param name="channel">The channel.</param>
internal sealed class ChannelCursor(ChunkStore store, ushort channel) : IDisposable
{
    private LoadedChunk? _chunk;
    private int _place;
    private int _message;

    /// <summary>Which of the file's places it stands in.</summary>
    public int Place => _place;

    /// <summary>The offset of that place in the file.</summary>
    public long Offset => store.Places[_place].Offset;

    /// <summary>The message that it stands at.</summary>
    /// <param name="message">The message.</param>
    /// <returns>The chunk that holds it, until the cursor is moved; null at the end.</returns>
    /// <exception cref="McapException">
    /// The chunk is damaged: the cursor stays before it.
    /// </exception>
    public LoadedChunk? Peek(out MessagePlace message)
    {
        while (_place < store.Places.Count)
        {
            if (_chunk is null && store.Places[_place].MayHold(channel))
            {
                _chunk = store.Take(_place);
            }

            if (_chunk is not null)
            {
                var messages = _chunk.Of(channel);
                if (_message < messages.Length)
                {
                    message = messages[_message];
                    return _chunk;
                }
            }

            Move(_place + 1, 0);
        }

        message = default;
        return null;
    }

    /// <summary>Goes on by one message.</summary>
    public void Advance() => _message++;

    /// <summary>Goes anywhere.</summary>
    /// <param name="place">One of the file's places, or their count for the end.</param>
    /// <param name="message">
    /// Counts the channel's messages there; those that there are not are the next place's first.
    /// </param>
    public void Move(int place, int message)
    {
        if (place != _place)
        {
            Dispose();
        }

        (_place, _message) = (place, message);
    }

    /// <summary>Releases the chunk.</summary>
    public void Dispose()
    {
        if (_chunk is not null)
        {
            store.Release(_chunk);
            _chunk = null;
        }
    }
}

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Iterates over the messages of one channel. It keeps a reference to the current chunk. Not thread-safe.
/// </summary>
/// <param name="store">The file's chunks.</param>
/// <param name="channel">The channel.</param>
internal sealed class ChannelCursor(ChunkStore store, ushort channel) : IDisposable
{
    private LoadedChunk? _chunk;
    private int _region;
    private int _message;

    /// <summary>The index of the current region.</summary>
    public int Region => _region;

    /// <summary>The offset of the current region in the file.</summary>
    public long Offset => store.Regions[_region].Offset;

    /// <summary>Returns the current message.</summary>
    /// <param name="message">The message.</param>
    /// <returns>The message's chunk, valid until the cursor moves; null at the end.</returns>
    /// <exception cref="McapException">
    /// The chunk is damaged. The cursor stays before the chunk.
    /// </exception>
    public LoadedChunk? Peek(out MessagePosition message)
    {
        while (_region < store.Regions.Count)
        {
            if (_chunk is null && store.Regions[_region].MayContain(channel))
            {
                _chunk = store.Acquire(_region);
            }

            if (_chunk is not null)
            {
                var messages = _chunk.MessagesOf(channel);
                if (_message < messages.Length)
                {
                    message = messages[_message];
                    return _chunk;
                }
            }

            Move(_region + 1, 0);
        }

        message = default;
        return null;
    }

    /// <summary>Moves to the next message.</summary>
    public void Advance() => _message++;

    /// <summary>Moves to any message.</summary>
    /// <param name="region">The index of the region; the number of regions for the end.</param>
    /// <param name="message">
    /// The index among the channel's messages in the region. An index after the last message means the first message of the next region.
    /// </param>
    public void Move(int region, int message)
    {
        if (region != _region)
        {
            Dispose();
        }

        (_region, _message) = (region, message);
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

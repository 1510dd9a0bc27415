namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Copies chunks of one file into another. All schemas and channels that are known are declared before each chunk, also if
/// the chunk that declared them is not copied. Not thread-safe.
/// </summary>
/// <param name="file">What is copied.</param>
/// <param name="mcap">The other file.</param>
internal sealed class ChunkCopy(McapFile file, McapWriter mcap)
{
    private readonly HashSet<ushort> _schemas = [];
    private readonly HashSet<ushort> _channels = [];

    /// <summary>The chunk that was loaded last.</summary>
    public LoadedChunk Chunk { get; } = new();

    /// <summary>Copies metadata and attachments, except attachments of one name.</summary>
    /// <exception cref="McapException">One of them is damaged.</exception>
    public void AddAttached(string? except = null)
    {
        foreach (var attachment in file.Layout.Attachments.Where(one => one.Name != except))
        {
            mcap.Add(file.ReadAttachment(attachment));
        }

        foreach (var metadata in file.Layout.Metadata)
        {
            mcap.Add(file.ReadMetadata(metadata));
        }
    }

    /// <summary>Loads and checks a place.</summary>
    /// <exception cref="McapException">It is damaged.</exception>
    public void Load(ChunkPlace place)
    {
        file.Chunks.Loader.Load(place, Chunk);
        Declare();
    }

    /// <summary>Declares the schemas and channels that are known by now.</summary>
    public void Declare()
    {
        foreach (var schema in file.Layout.Channels.Schemas.Where(schema => _schemas.Add(schema.Id)))
        {
            mcap.Add(schema);
        }

        foreach (var channel in file.Layout.Channels.Channels.Where(channel => _channels.Add(channel.Id)))
        {
            mcap.Add(channel);
        }
    }

    /// <summary>Adds the chunk that was loaded: as it is, unless its messages get other sequences.</summary>
    /// <param name="place">The chunk's place.</param>
    /// <param name="sequence">Makes a message's sequence of its channel and its old one; null: it stays.</param>
    public void Add(ChunkPlace place, Func<ushort, uint, uint>? sequence = null)
    {
        if (place.Kind == PlaceKind.Chunk && sequence is null)
        {
            var (compression, records) = file.Chunks.Loader.ReadCompressed(place);
            mcap.Add(compression, records.Span, Chunk);
            return;
        }

        foreach (var (channel, message) in Chunk.InOrder())
        {
            mcap.Add(
                new MessageHead(
                    channel, sequence?.Invoke(channel, message.Sequence) ?? message.Sequence, message.LogTime, message.PublishTime),
                Chunk.DataOf(message).Span);
        }
    }
}

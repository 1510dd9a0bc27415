namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Copies chunks of one file into another. Before each chunk, all known schemas and channels are declared, even if the chunk that
/// declared them is not copied. Not thread-safe.
/// </summary>
/// <param name="file">The source.</param>
/// <param name="mcap">The target.</param>
internal sealed class ChunkCopy(McapFile file, McapWriter mcap)
{
    private readonly HashSet<ushort> _declaredSchemas = [];
    private readonly HashSet<ushort> _declaredChannels = [];

    /// <summary>The chunk that was loaded last.</summary>
    public LoadedChunk Chunk { get; } = new();

    /// <summary>Copies metadata and attachments, except attachments with the given name.</summary>
    /// <exception cref="McapException">An attachment or a metadata record is damaged.</exception>
    public void CopyAttachmentsAndMetadata(string? except = null)
    {
        foreach (var attachment in file.Layout.Attachments.Where(entry => entry.Name != except))
        {
            mcap.Add(file.ReadAttachment(attachment));
        }

        foreach (var metadata in file.Layout.Metadata)
        {
            mcap.Add(file.ReadMetadata(metadata));
        }
    }

    /// <summary>Loads and checks a region. Then declares the schemas and channels that are known so far.</summary>
    /// <exception cref="McapException">The region is damaged.</exception>
    public void Load(FileRegion region)
    {
        file.Chunks.Loader.Load(region, Chunk);
        Declare();
    }

    /// <summary>Declares the schemas and channels that are known so far.</summary>
    public void Declare()
    {
        foreach (var schema in file.Layout.Channels.Schemas.Where(schema => _declaredSchemas.Add(schema.Id)))
        {
            mcap.Add(schema);
        }

        foreach (var channel in file.Layout.Channels.Channels.Where(channel => _declaredChannels.Add(channel.Id)))
        {
            mcap.Add(channel);
        }
    }

    /// <summary>Adds the loaded chunk. The chunk is compressed again only if its messages get other sequence numbers.</summary>
    /// <param name="region">The chunk's region.</param>
    /// <param name="sequence">Gets a message's channel and sequence number, and returns the new sequence number; null for no change.</param>
    public void Add(FileRegion region, Func<ushort, uint, uint>? sequence = null)
    {
        if (region.Kind == RegionKind.Chunk && sequence is null)
        {
            var (compression, records) = file.Chunks.Loader.ReadCompressed(region);
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

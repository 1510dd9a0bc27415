namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Loads regions for all readers of a file. Readers of the same region share its memory. Only the referenced regions,
/// and at most one other region, are in memory. Not thread-safe.
/// </summary>
/// <param name="regions">The file's regions.</param>
/// <param name="loader">Reads regions.</param>
internal sealed class ChunkStore(IReadOnlyList<FileRegion> regions, ChunkLoader loader)
{
    private readonly List<LoadedChunk> _chunks = [];
    private readonly LoadedChunk _beginning = new();

    /// <summary>The file's regions, in order.</summary>
    public IReadOnlyList<FileRegion> Regions => regions;

    public ChunkLoader Loader => loader;

    /// <summary>Loads a region, if it is not loaded yet, and adds a reference.</summary>
    /// <returns>The loaded region. The caller must release it.</returns>
    /// <exception cref="McapException">The region is damaged, or too many chunks are in memory.</exception>
    public LoadedChunk Acquire(int region)
    {
        var chunk = Find(region);
        if (chunk is null)
        {
            chunk = _chunks.Find(other => other.References == 0) ?? AddChunk();
            loader.Load(regions[region], chunk);
            if (_chunks.Sum(other => (long)other.Capacity) > McapLimits.LoadedChunks)
            {
                throw new McapException(
                    $"reading all perspectives in order needs more than {McapLimits.LoadedChunks} bytes of chunks",
                    regions[region].Offset,
                    "sort it by time (mcap sort IN -o OUT)");
            }

            chunk.Region = region;
        }

        chunk.References++;
        return chunk;
    }

    /// <summary>
    /// If the region is loaded: all its records. Otherwise: its first records, which are unchecked and valid until the
    /// next call. Null if the region must be loaded with <see cref="Acquire"/>.
    /// </summary>
    /// <exception cref="McapException">The region is damaged.</exception>
    public LoadedChunk? Peek(int region) =>
        Find(region) ?? (loader.TryLoadBeginning(regions[region], _beginning) ? _beginning : null);

    /// <summary>Releases a reference.</summary>
    public void Release(LoadedChunk chunk)
    {
        chunk.References--;
        if (chunk.References == 0 && _chunks.Find(other => other.References == 0 && other != chunk) is { } older)
        {
            _chunks.Remove(older);
        }
    }

    /// <summary>Loads a region, reads from it and releases it.</summary>
    /// <exception cref="McapException">See <see cref="Acquire"/>.</exception>
    public T ReadFrom<T>(int region, Func<LoadedChunk, T> read)
    {
        var chunk = Acquire(region);
        try
        {
            return read(chunk);
        }
        finally
        {
            Release(chunk);
        }
    }

    /// <summary>Frees chunks without references. Call it before using the loader directly, so that fewer chunks are in memory.</summary>
    public void FreeUnreferenced() => _chunks.RemoveAll(chunk => chunk.References == 0);

    private LoadedChunk? Find(int region) => _chunks.Find(chunk => chunk.Region == region);

    private LoadedChunk AddChunk()
    {
        var chunk = new LoadedChunk();
        _chunks.Add(chunk);
        return chunk;
    }
}

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Loads places for all who read a file at once, each once for those who are at the same: memory for as many as are
/// held, and one more. Not thread-safe.
/// </summary>
/// <param name="places">The file's.</param>
/// <param name="loader">Reads them.</param>
internal sealed class ChunkStore(IReadOnlyList<ChunkPlace> places, ChunkLoader loader)
{
    private readonly List<LoadedChunk> _chunks = [];
    private readonly LoadedChunk _beginning = new();

    /// <summary>The file's places, in its order.</summary>
    public IReadOnlyList<ChunkPlace> Places => places;

    /// <summary>What reads them.</summary>
    public ChunkLoader Loader => loader;

    /// <summary>Loads a place.</summary>
    /// <returns>It, held once by the caller.</returns>
    /// <exception cref="McapException">It is damaged, or too many chunks are held.</exception>
    public LoadedChunk Take(int place)
    {
        var chunk = Find(place);
        if (chunk is null)
        {
            chunk = _chunks.Find(other => other.HeldPublications == 0) ?? Make();
            loader.Load(places[place], chunk);
            if (_chunks.Sum(other => (long)other.Capacity) > McapLimits.LoadedChunks)
            {
                throw new McapException(
                    $"reading all perspectives in order needs more than {McapLimits.LoadedChunks} bytes of chunks",
                    places[place].Offset,
                    "write it again in the order of time (mcap sort IN -o OUT)");
            }

            chunk.Place = place;
        }

        chunk.HeldPublications++;
        return chunk;
    }

    /// <summary>
    /// The first records of a place, or all if it is loaded: until the next call, and unchecked. Null if it must be
    /// <see cref="Take">taken</see>.
    /// </summary>
    /// <exception cref="McapException">It is damaged.</exception>
    public LoadedChunk? Peek(int place) =>
        Find(place) ?? (loader.TryLoadBeginning(places[place], _beginning) ? _beginning : null);

    /// <summary>Releases one hold.</summary>
    public void Release(LoadedChunk chunk)
    {
        chunk.HeldPublications--;
        if (chunk.HeldPublications == 0 && _chunks.Find(other => other.HeldPublications == 0 && other != chunk) is { } older)
        {
            _chunks.Remove(older);
        }
    }

    /// <summary>Reads something of a place.</summary>
    /// <exception cref="McapException">As of <see cref="Take"/>.</exception>
    public T With<T>(int place, Func<LoadedChunk, T> read)
    {
        var chunk = Take(place);
        try
        {
            return read(chunk);
        }
        finally
        {
            Release(chunk);
        }
    }

    /// <summary>Frees what nobody holds, for one who reads the places without this.</summary>
    public void Forget() => _chunks.RemoveAll(chunk => chunk.HeldPublications == 0);

    private LoadedChunk? Find(int place) => _chunks.Find(chunk => chunk.Place == place);

    private LoadedChunk Make()
    {
        var chunk = new LoadedChunk();
        _chunks.Add(chunk);
        return chunk;
    }
}

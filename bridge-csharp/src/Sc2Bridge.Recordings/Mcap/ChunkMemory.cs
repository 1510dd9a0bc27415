namespace Sc2Bridge.Recordings.Mcap;

/// <summary>Reuses one array for one chunk after another.</summary>
internal static class ChunkMemory
{
    // The message that fills a chunk also closes it, so chunk sizes differ by up to one message. The array gets an
    // eighth more bytes, so that the next chunks fit too.
    private const int SpareDivisor = 8;

    /// <summary>Gives an array a minimum length. If the array is too short, a new array replaces it, and the old content is lost.</summary>
    public static void Reserve(ref byte[] array, int length)
    {
        if (array.Length < length)
        {
            // The old array is released first, so that both are not in memory at the same time.
            array = [];
            array = GC.AllocateUninitializedArray<byte>(length + (length / SpareDivisor));
        }
    }
}

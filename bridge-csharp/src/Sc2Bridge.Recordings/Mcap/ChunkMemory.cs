namespace Sc2Bridge.Recordings.Mcap;

/// <summary>Arrays as long as chunks, used again for chunk after chunk.</summary>
internal static class ChunkMemory
{
    // Chunks are closed by the message that makes them full, so that they differ by one: an eighth more, and the next
    // ones fit.
    private const int Spare = 8;

    /// <summary>Makes room; what the array held is lost where it was too short.</summary>
    public static void Reserve(ref byte[] array, int length)
    {
        if (array.Length < length)
        {
            // The old one must not stand beside it.
            array = [];
            array = GC.AllocateUninitializedArray<byte>(length + (length / Spare));
        }
    }
}

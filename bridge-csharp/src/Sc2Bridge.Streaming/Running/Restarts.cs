using System.Threading.Channels;

namespace Sc2Bridge.Streaming;

/// <summary>A client's wish that the match ends and another begins: made in the hub, granted by who plays the matches. Thread-safe.</summary>
public sealed class Restarts
{
    // The newest wish, by its random seed.
    private readonly Channel<uint> _asked =
        Channel.CreateBounded<uint>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropOldest });

    /// <summary>Completes when a client asks, if it is before <see cref="Take"/>; never fails.</summary>
    public Task Asked => _asked.Reader.WaitToReadAsync().AsTask();

    /// <summary>Grants the newest wish, once there is one.</summary>
    /// <returns>The next match's random seed.</returns>
    public uint Take() => _asked.Reader.TryRead(out var seed) ? seed : throw new InvalidOperationException("Nobody has asked.");

    /// <summary>A client asks.</summary>
    internal void Ask(uint seed) => _asked.Writer.TryWrite(seed);
}

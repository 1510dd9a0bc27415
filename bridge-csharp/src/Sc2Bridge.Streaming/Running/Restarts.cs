using System.Threading.Channels;

namespace Sc2Bridge.Streaming;

/// <summary>Clients' requests to restart the match. The hub adds them; the code that runs the matches executes them. Thread-safe.</summary>
public sealed class Restarts
{
    // Contains the random seed of the newest request.
    private readonly Channel<uint> _requests =
        Channel.CreateBounded<uint>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropOldest });

    /// <summary>Completes when there is a request that was not removed yet. The task never fails.</summary>
    public Task Requested => _requests.Reader.WaitToReadAsync().AsTask();

    /// <summary>Removes and returns the newest request. Call this method when <see cref="Requested"/> has completed.</summary>
    /// <returns>The random seed of the next match.</returns>
    public uint Dequeue() => _requests.Reader.TryRead(out var seed) ? seed : throw new InvalidOperationException("No restart was requested: await Requested first.");

    /// <summary>Adds a client's request.</summary>
    internal void Enqueue(uint seed) => _requests.Writer.TryWrite(seed);
}

using System.Net.Sockets;

namespace Sc2Bridge.GameApi;

/// <summary>
/// The byte stream under a game's WebSocket. After <see cref="BlockReads"/>, each read blocks its thread. An answer then directly wakes
/// the thread that handles the answer.
/// </summary>
/// <param name="socket">The connected socket. The stream owns it.</param>
internal sealed class GameStream(Socket socket) : NetworkStream(socket, ownsSocket: true)
{
    private volatile bool _readsBlock;

    /// <summary>Makes all later reads block until bytes arrive, so the caller needs a dedicated thread.</summary>
    public void BlockReads() => _readsBlock = true;

    /// <summary>Blocks the calling thread until the task is done. Throws the task's exception.</summary>
    internal static void Wait(ValueTask done)
    {
        if (done.IsCompleted)
        {
            done.GetAwaiter().GetResult();
        }
        else
        {
            done.AsTask().GetAwaiter().GetResult();
        }
    }

    /// <inheritdoc cref="Wait(ValueTask)"/>
    internal static T Wait<T>(ValueTask<T> done) =>
        done.IsCompleted ? done.GetAwaiter().GetResult() : done.AsTask().GetAwaiter().GetResult();

    /// <inheritdoc/>
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        _readsBlock ? new ValueTask<int>(Read(buffer.Span)) : base.ReadAsync(buffer, cancellationToken);

    /// <inheritdoc/>
    public override int Read(Span<byte> buffer)
    {
        // Polls first. Otherwise, after an asynchronous write, .NET would wait on the thread that .NET uses for all sockets. The poll
        // needs no timeout: SilenceWatch ends the wait if the game is silent.
        Socket.Poll(Timeout.InfiniteTimeSpan, SelectMode.SelectRead);
        return base.Read(buffer);
    }
}

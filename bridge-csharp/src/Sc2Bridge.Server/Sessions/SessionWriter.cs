using System.Runtime.CompilerServices;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Writes the protocol's messages to one client. After the close it writes nothing.</summary>
internal sealed class SessionWriter(IMessageChannel channel) : ClientWriter(channel.Abort)
{
    /// <summary>Writes a message that is serialized already.</summary>
    /// <param name="message">Its bytes.</param>
    /// <param name="isCompressed">Whether compressing it again would gain nothing.</param>
    /// <exception cref="PeerGoneException">The connection is gone.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask SendAsync(MessageSegments message, bool isCompressed)
    {
        await BeginWriteAsync();
        try
        {
            if (!IsClosed)
            {
                await channel.WriteAsync(message, isCompressed);
            }
        }
        finally
        {
            EndWrite();
        }
    }

    /// <summary>Writes any other message.</summary>
    /// <param name="message">The bridge's time is set in its clock, if it has one.</param>
    /// <exception cref="PeerGoneException">The connection is gone.</exception>
    public async Task SendAsync(PlayResponse message)
    {
        await BeginWriteAsync();
        try
        {
            if (!IsClosed)
            {
                if (message.Clock is { } clock)
                {
                    clock.BridgeNs = MonotonicClock.NowNs;
                }

                await channel.WriteAsync(message);
            }
        }
        finally
        {
            EndWrite();
        }
    }

    /// <inheritdoc/>
    protected override ValueTask WriteCloseAsync(PlayResponse? error, string reason) => channel.CloseAsync(error, reason);
}

using System.Runtime.CompilerServices;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Writes the protocol's messages to one client. After the close it writes nothing.</summary>
internal sealed class SessionWriter(IMessageChannel channel) : ClientWriter(channel.Abort)
{
    private volatile bool _isComplete;

    /// <summary>Whether the end of the match was written.</summary>
    public bool IsComplete
    {
        get => _isComplete;
        set => _isComplete = value;
    }

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

    /// <summary>Closes the session with a fatal error.</summary>
    /// <param name="error">It.</param>
    /// <param name="patience">How long the client may take to read it and to close.</param>
    public Task FailAsync(PlayResponse error, TimeSpan patience) =>
        CloseAsync(() => channel.CloseAsync(error, error.Error.Message), patience);

    /// <summary>Closes the session without an error.</summary>
    /// <param name="reason">Why, in words.</param>
    /// <param name="patience">As above.</param>
    public Task CloseAsync(string reason, TimeSpan patience) => CloseAsync(() => channel.CloseAsync(null, reason), patience);
}

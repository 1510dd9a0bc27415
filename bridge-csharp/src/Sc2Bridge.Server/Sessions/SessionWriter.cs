using Google.Protobuf;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
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
    public ValueTask SendAsync(MessageSegments message, bool isCompressed) => WriteAsync(
        (Channel: channel, Message: message, IsCompressed: isCompressed),
        static one => one.Channel.WriteAsync(one.Message, one.IsCompressed));

    /// <summary>Writes any other message.</summary>
    /// <param name="message">The bridge's time is set in its clock, if it has one.</param>
    /// <exception cref="PeerGoneException">The connection is gone.</exception>
    public Task SendAsync(PlayResponse message) => WriteAsync(
        (Writer: this, Message: message),
        static one =>
        {
            if (one.Message.Clock is { } clock)
            {
                clock.BridgeNs = MonotonicClock.NowNs;
            }

            return one.Writer.WriteEventAsync(one.Message);
        }).AsTask();

    /// <inheritdoc/>
    protected override async ValueTask WriteCloseAsync(PlayResponse? error, string reason)
    {
        if (error is not null && !channel.ClosesWithError)
        {
            await WriteEventAsync(error);
        }

        await channel.CloseAsync(error?.Error.Code, reason);
    }

    private async ValueTask WriteEventAsync(PlayResponse message)
    {
        var buffer = MessageBuffer.Rent();
        try
        {
            if (channel.Form == MessageForm.Json)
            {
                JsonWriter.Write(message, buffer);
            }
            else
            {
                message.WriteTo(buffer);
            }

            await channel.WriteAsync(new MessageSegments(default, buffer.Written), isCompressed: false);
        }
        finally
        {
            buffer.Release();
        }
    }
}

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
    /// <summary>Writes a serialized message.</summary>
    /// <param name="message">The bytes of the message.</param>
    /// <param name="isCompressed">Whether the message is already compressed.</param>
    /// <exception cref="PeerGoneException">The connection is lost.</exception>
    public ValueTask SendAsync(MessageSegments message, bool isCompressed) => WriteAsync(
        (Channel: channel, Message: message, IsCompressed: isCompressed),
        static write => write.Channel.WriteAsync(write.Message, write.IsCompressed));

    /// <summary>Serializes and writes a message.</summary>
    /// <param name="message">The message. If it contains a clock, this method sets the bridge's time in it.</param>
    /// <exception cref="PeerGoneException">The connection is lost.</exception>
    public Task SendAsync(PlayResponse message) => WriteAsync(
        (Writer: this, Message: message),
        static write =>
        {
            if (write.Message.Clock is { } clock)
            {
                clock.BridgeNs = MonotonicClock.NowNs;
            }

            return write.Writer.WriteResponseAsync(write.Message);
        }).AsTask();

    /// <inheritdoc/>
    protected override async ValueTask WriteCloseAsync(PlayResponse? error, string reason)
    {
        if (error is not null && !channel.ClosesWithError)
        {
            await WriteResponseAsync(error);
        }

        await channel.CloseAsync(error?.Error.Code, reason);
    }

    private async ValueTask WriteResponseAsync(PlayResponse message)
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

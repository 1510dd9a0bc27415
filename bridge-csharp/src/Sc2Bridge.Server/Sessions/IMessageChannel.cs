using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// The connection or call of a client. It carries whole messages. One task reads, and other tasks write, one at a time.
/// If the client has disconnected, reading and writing throw <see cref="PeerGoneException"/>.
/// </summary>
internal interface IMessageChannel
{
    /// <summary>The transport's name in tables and logs.</summary>
    string Transport { get; }

    /// <summary>The encoding of the messages on this channel.</summary>
    MessageForm Form { get; }

    /// <summary>Whether the channel compresses messages that are not compressed yet.</summary>
    bool Compresses { get; }

    /// <summary>
    /// Whether the channel is a call. In a call, a client that has sent its last message can still read the bridge's
    /// messages. The bridge's close ends both directions at once.
    /// </summary>
    bool IsCall { get; }

    /// <summary>Whether the close itself carries an error. If true, no error message is sent before the close.</summary>
    bool ClosesWithError { get; }

    /// <summary>Reads the client's next message.</summary>
    /// <param name="mayBuffer">
    /// Returns whether a given number of bytes of an unfinished message may be kept. The channel calls it with 0 when the message is complete.
    /// </param>
    /// <returns>
    /// The message; null if the client has closed its direction. After a close by the bridge, null is returned at once.
    /// </returns>
    /// <exception cref="RequestRefusedException">The message breaks a rule of the transport.</exception>
    /// <exception cref="Encodings.EncodingException">The bytes are not a valid message.</exception>
    ValueTask<PlayRequest?> ReadAsync(Func<long, bool> mayBuffer);

    /// <summary>Writes a message.</summary>
    /// <param name="message">The message as bytes. The bytes are not used after the task has completed.</param>
    /// <param name="isCompressed">Whether the message is already compressed.</param>
    ValueTask WriteAsync(MessageSegments message, bool isCompressed);

    /// <summary>Waits until the written bytes have left this machine. Returns at once if the channel cannot know when they have left.</summary>
    /// <param name="subscription">The subscription of the messages.</param>
    /// <param name="ct">Cancels the wait.</param>
    ValueTask WaitUntilSentAsync(Subscription subscription, CancellationToken ct);

    /// <summary>Closes the bridge's direction: no more messages follow. Called only once; nothing is written afterwards.</summary>
    /// <param name="code">The gRPC status code of the error that ends the session; null if it ends normally.</param>
    /// <param name="reason">The reason in words.</param>
    ValueTask CloseAsync(uint? code, string reason);

    /// <summary>Aborts the connection or call, and its pending reads and writes. Never fails.</summary>
    void Abort();
}

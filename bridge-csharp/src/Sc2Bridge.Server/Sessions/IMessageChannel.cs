using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// A client's connection or call. It carries whole messages. One task reads while others write, one at a time. If the client has
/// gone, reading and writing throw <see cref="PeerGoneException"/>.
/// </summary>
internal interface IMessageChannel
{
    /// <summary>For tables and logs.</summary>
    string Transport { get; }

    /// <summary>How it carries a frame.</summary>
    MessageForm Form { get; }

    /// <summary>Whether it compresses what it writes, except what is compressed already.</summary>
    bool Compresses { get; }

    /// <summary>Whether a client that has ended its side still reads, and the bridge's close ends both sides at once.</summary>
    bool IsCall { get; }

    /// <summary>Whether the close carries an error by itself: no message with the error goes before it.</summary>
    bool ClosesWithError { get; }

    /// <summary>Reads the client's next message.</summary>
    /// <param name="mayHold">Whether so many bytes of an unfinished message may be held. Called with 0 once it is whole.</param>
    /// <returns>Null: the client has ended its side. After a close, also at once.</returns>
    /// <exception cref="RequestRefusedException">The message breaks the transport's rules.</exception>
    /// <exception cref="Encodings.EncodingException">The bytes are no message.</exception>
    ValueTask<PlayRequest?> ReadAsync(Func<long, bool> mayHold);

    /// <summary>Writes a message.</summary>
    /// <param name="message">Its bytes. They are not used after the task has completed.</param>
    /// <param name="isCompressed">Whether compressing it again would gain nothing.</param>
    ValueTask WriteAsync(MessageSegments message, bool isCompressed);

    /// <summary>Waits until what was written has left this machine. Returns at once if that is unknown.</summary>
    /// <param name="subscription">Whose messages they are.</param>
    /// <param name="ct">Gives up.</param>
    ValueTask ClearAsync(Subscription subscription, CancellationToken ct);

    /// <summary>Tells the client that nothing follows. Called once; nothing is written after it.</summary>
    /// <param name="code">The gRPC status code of the error that ends the session; null: it ends well.</param>
    /// <param name="reason">Why it ends, in words.</param>
    ValueTask CloseAsync(uint? code, string reason);

    /// <summary>Ends the connection or call at once, and with it what is read or written. Never fails.</summary>
    void Abort();
}

namespace Sc2Bridge.Server;

/// <summary>The limits of a session on every transport.</summary>
internal static class SessionLimits
{
    /// <summary>The longest message that a client may send, in bytes, before and after decompression.</summary>
    public const int LongestMessage = 4 << 20;

    /// <summary>
    /// The most memory, in bytes, that the objects of one message may use. The longest message with drawings needs this much.
    /// </summary>
    public const int MostMessageMemory = 32 << 20;

    /// <summary>The refusal of a message that needs more than <see cref="MostMessageMemory"/>.</summary>
    public static readonly string TooMuchMemoryMessage =
        $"The message takes more than {MostMessageMemory >> 20} MiB of memory: send less in one message.";

    /// <summary>
    /// The longest <c>subscribe</c>, <c>hello</c> or <c>clock</c>, in bytes. A <c>subscribe</c> is kept as long as its
    /// subscription, a <c>hello</c> or <c>clock</c> until its answer is written.
    /// </summary>
    public const int LongestSubscribeHelloClock = 16 << 10;

    /// <summary>The most pending calls of a session. While a session has this many, the bridge reads no further messages of the session.</summary>
    public const int MostPendingCalls = 64;

    /// <summary>How long a client that uses up a shared resource may take to read why it is disconnected.</summary>
    public static readonly TimeSpan CutTimeout = TimeSpan.FromSeconds(1);

    /// <summary>How long a client may take to read why its session ends when the bridge stops.</summary>
    public static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(2);

    /// <summary>How long a client may take to answer a close.</summary>
    public static readonly TimeSpan CloseTimeout = TimeSpan.FromSeconds(10);

    /// <summary>The reason for ended calls and sessions when the bridge stops.</summary>
    public const string StoppingMessage = "The bridge is stopping: connect again when it runs.";

    /// <summary>The refusal of a message that does not arrive in time.</summary>
    public const string NotCompletedMessage = "The message was not completed in time: send each message without a pause.";

    /// <summary>The refusal of a message that is too long.</summary>
    /// <param name="longest">The maximum length of a message, in bytes.</param>
    public static string TooLongMessage(int longest) => $"The message is longer than {longest} bytes, the limit for this kind of message: send a shorter one.";
}

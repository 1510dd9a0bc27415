namespace Sc2Bridge.Server;

/// <summary>What a session lets its client do, on every transport.</summary>
internal static class SessionLimits
{
    /// <summary>The longest message that a client may send, in bytes, before and after decompression.</summary>
    public const int LongestMessage = 4 << 20;

    /// <summary>The most memory that the objects of one message may take, in bytes. The longest message of drawings needs as much.</summary>
    public const int MostMemory = 32 << 20;

    /// <summary>The refusal of a message whose objects would take more.</summary>
    public static readonly string TooMuchMemory =
        $"The message takes more than {MostMemory >> 20} MiB of memory: send less in one message.";

    /// <summary>
    /// The longest <c>subscribe</c>, <c>hello</c> or <c>clock</c>, in bytes. A <c>subscribe</c> is kept as long as its subscription, the
    /// others until the answer is written.
    /// </summary>
    public const int LongestOther = 16 << 10;

    /// <summary>The most calls of a session that wait for their answers. A session with more is not read from.</summary>
    public const int MostRequests = 64;

    /// <summary>How long a client that holds what others need may take to read why it is cut off.</summary>
    public static readonly TimeSpan CutTimeout = TimeSpan.FromSeconds(1);

    /// <summary>How long a client may take to read why its session ends while the bridge stops.</summary>
    public static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(2);

    /// <summary>How long a client may take to answer a close.</summary>
    public static readonly TimeSpan CloseTimeout = TimeSpan.FromSeconds(10);

    /// <summary>Ends what runs when the bridge stops.</summary>
    public const string Stopping = "The bridge is stopping.";

    /// <summary>Refuses a message that does not arrive in time.</summary>
    public const string Unfinished = "The message was not ended in time.";

    /// <summary>Refuses a message that is too long.</summary>
    /// <param name="longest">The bytes that a message may have.</param>
    public static string TooLong(int longest) => $"A message may have {longest} bytes at most.";
}

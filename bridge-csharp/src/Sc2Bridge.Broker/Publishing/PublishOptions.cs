namespace Sc2Bridge.Broker.Publishing;

/// <summary>Options for publishing matches.</summary>
/// <param name="Address">The broker.</param>
public sealed record PublishOptions(BrokerAddress Address)
{
    /// <summary>The time for which the broker keeps the streams of a match.</summary>
    public TimeSpan MaxAge { get; init; } = TimeSpan.FromDays(7);

    /// <summary>The most bytes that the broker keeps of a perspective's frames.</summary>
    public long MaxBytes { get; init; } = 2L << 30;

    /// <summary>Words by which users can find the match.</summary>
    public IReadOnlyList<string> Tags { get; init; } = [];

    /// <summary>The maximum size of the spool, the file with messages that wait for the broker.</summary>
    public long SpoolBytes { get; init; } = 256L << 20;

    /// <summary>The most time that the end of a match waits for the broker to confirm all messages.</summary>
    public TimeSpan EndDeadline { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>How often a match is announced.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromSeconds(10);
}

/// <summary>The figures of a match's publication.</summary>
/// <param name="Broker">The broker's address, without a password.</param>
/// <param name="Key">The match's key at the broker.</param>
/// <param name="Published">Frames that were queued for the broker.</param>
/// <param name="Confirmed">Frames that the broker has confirmed.</param>
/// <param name="Gaps">Gaps in the streams.</param>
/// <param name="Missing">Frames that are missing in the gaps.</param>
/// <param name="MissingRows">Missing rows of the step log and of actions.</param>
/// <param name="Bytes">The number of bytes of all confirmed messages.</param>
/// <param name="Waiting">Messages that the broker has not confirmed. After the end: messages that were not published.</param>
/// <param name="Problem">Why the broker does not accept messages, or did not accept them at the end. Null if it accepts them.</param>
public sealed record PublishFigures(
    string Broker, string Key, long Published, long Confirmed, long Gaps, long Missing, long MissingRows, long Bytes,
    long Waiting, string? Problem);

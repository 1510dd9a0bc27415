namespace Sc2Bridge.Broker.Publishing;

/// <summary>How matches are published.</summary>
/// <param name="Address">The broker.</param>
public sealed record PublishOptions(BrokerAddress Address)
{
    /// <summary>How long a match's streams are kept.</summary>
    public TimeSpan MaxAge { get; init; } = TimeSpan.FromDays(7);

    /// <summary>The most bytes that the broker keeps of a perspective's frames.</summary>
    public long MaxBytes { get; init; } = 2L << 30;

    /// <summary>Words to find a match by.</summary>
    public IReadOnlyList<string> Tags { get; init; } = [];

    /// <summary>The most bytes of what waits for the broker in a file.</summary>
    public long SpoolBytes { get; init; } = 256L << 20;

    /// <summary>How long the end of a match waits until the broker has it all.</summary>
    public TimeSpan EndDeadline { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>How often a match is announced.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromSeconds(10);
}

/// <summary>How a match's publication does.</summary>
/// <param name="Broker">Its address, without a password.</param>
/// <param name="Key">The match's at the broker.</param>
/// <param name="Published">Frames that were made for the broker.</param>
/// <param name="Confirmed">Frames that it has confirmed to hold.</param>
/// <param name="Gaps">Gaps of the streams.</param>
/// <param name="Missing">Frames that are missing in them.</param>
/// <param name="MissingRows">Rows of the step log, and actions, that are missing.</param>
/// <param name="Bytes">Of all that was confirmed.</param>
/// <param name="Waiting">Messages that the broker has not confirmed, and at the end: that were not published.</param>
/// <param name="Problem">Why it is behind, or was at the end; null if it is not.</param>
public sealed record PublishFigures(
    string Broker, string Key, long Published, long Confirmed, long Gaps, long Missing, long MissingRows, long Bytes,
    long Waiting, string? Problem);

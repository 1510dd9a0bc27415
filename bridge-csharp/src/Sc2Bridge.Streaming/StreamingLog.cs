using Microsoft.Extensions.Logging;

namespace Sc2Bridge.Streaming;

/// <summary>The log messages of this project. The event ids are 1000 to 1999; docs/reference/metrics.md lists each project's range.</summary>
internal static partial class StreamingLog
{
    [LoggerMessage(1000, LogLevel.Information, "match {MatchId} begins on {Map}")]
    public static partial void MatchBegan(ILogger logger, string matchId, string map);

    [LoggerMessage(1001, LogLevel.Information, "match {MatchId} ended at step {Step}: {Reason}")]
    public static partial void MatchEnded(ILogger logger, string matchId, ulong step, string reason);

    [LoggerMessage(1002, LogLevel.Error, "match {MatchId} failed because of a defect in the bridge")]
    public static partial void MatchFailed(ILogger logger, string matchId, Exception defect);

    [LoggerMessage(1003, LogLevel.Information, "match {MatchId}: the game failed")]
    public static partial void GameFailed(ILogger logger, string matchId, Exception failure);

    [LoggerMessage(1010, LogLevel.Debug, "{Subscriber} subscribed over {Transport}, policy {Policy}")]
    public static partial void Subscribed(ILogger logger, string subscriber, string transport, V1.Policy policy);

    [LoggerMessage(1011, LogLevel.Debug, "{Subscriber} left; its subscription was completed: {Completed}")]
    public static partial void Unsubscribed(ILogger logger, string subscriber, bool completed);

    [LoggerMessage(1012, LogLevel.Information, "{Notice}")]
    public static partial void Noticed(ILogger logger, string notice);

    [LoggerMessage(1013, LogLevel.Information, "the process returned unused memory to the system: {Before} MiB before, {After} MiB after")]
    public static partial void MemoryGivenBack(ILogger logger, long before, long after);

    [LoggerMessage(1014, LogLevel.Error, "the subscription of {Subscriber} ended because of a defect in the bridge")]
    public static partial void SubscriberFailed(ILogger logger, string subscriber, Exception defect);

    [LoggerMessage(EventId = 1020, Message = "{SidePath}: {Problem}. The match continues, and losses are counted")]
    public static partial void LostFirst(
        ILogger logger, LogLevel level, string sidePath, string problem, Exception? failure);

    [LoggerMessage(1021, LogLevel.Debug, "{SidePath}: {Problem}")]
    public static partial void LostMore(ILogger logger, string sidePath, string problem, Exception? failure);
}

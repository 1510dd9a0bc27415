using System.Globalization;
using RabbitMQ.Client;

namespace Sc2Bridge.Broker;

/// <summary>The names and arguments of the streams of published matches; see docs/reference/broker-streams.md.</summary>
internal static class BrokerStreams
{
    /// <summary>The stream of the directory: announcements of all matches, including past matches.</summary>
    internal const string DirectoryStream = Prefix + "matches";

    /// <summary>The stream of the running matches. Each running match is announced in it at intervals.</summary>
    internal const string RunningStream = Prefix + "running";

    private const string Prefix = "sc2bridge.v1alpha1.";
    private const int LongestKey = 64;

    private static readonly Dictionary<string, object?> _directoryArguments = RetentionArguments("30D", 256L << 20, 16L << 20);
    private static readonly Dictionary<string, object?> _runningArguments = RetentionArguments("3600s", 64L << 20, 4L << 20);

    /// <summary>Whether a text can be the key of a published match.</summary>
    internal static bool IsKey(string text) => text.Length is > 0 and <= LongestKey && text is not ("matches" or "running")
        && text.All(letter => letter is (>= 'a' and <= 'z') or (>= '0' and <= '9') or '-');

    /// <summary>The name of the stream with the description, the step log, the actions and the end of a match.</summary>
    internal static string MatchStream(string key) => Prefix + key;

    /// <summary>The name of the stream with a perspective's frames.</summary>
    internal static string FramesStream(string key, uint perspective) =>
        string.Create(CultureInfo.InvariantCulture, $"{Prefix}{key}.{perspective}");

    /// <summary>Makes a unique key for a published match.</summary>
    internal static string NewKey(DateTimeOffset started) => string.Create(
        CultureInfo.InvariantCulture,
        $"{started:yyyyMMdd'-'HHmmss}-{Convert.ToHexStringLower(Guid.NewGuid().ToByteArray().AsSpan(0, 4))}");

    /// <summary>The names of a publisher's streams: the running matches, the directory, the match, then the frames of each perspective.</summary>
    internal static IReadOnlyList<string> AllNames(string key, IEnumerable<uint> perspectives) =>
        [RunningStream, DirectoryStream, MatchStream(key), .. perspectives.Select(perspective => FramesStream(key, perspective))];

    /// <summary>Declares all streams of a publisher.</summary>
    internal static async Task DeclareAsync(
        IChannel channel, string key, IEnumerable<uint> perspectives, TimeSpan maxAge, long maxBytes, CancellationToken ct)
    {
        await DeclareAsync(channel, DirectoryStream, _directoryArguments, ct);
        await DeclareAsync(channel, RunningStream, _runningArguments, ct);
        await DeclareAsync(
            channel, MatchStream(key), new() { ["x-queue-type"] = "stream", ["x-queue-leader-locator"] = "balanced" }, ct);
        var frames = RetentionArguments($"{(long)Math.Ceiling(maxAge.TotalSeconds)}s", maxBytes, 16L << 20);
        frames["x-queue-leader-locator"] = "balanced";
        foreach (var perspective in perspectives)
        {
            await DeclareAsync(channel, FramesStream(key, perspective), frames, ct);
        }
    }

    private static Dictionary<string, object?> RetentionArguments(string age, long bytes, long segmentBytes) => new()
    {
        ["x-queue-type"] = "stream",
        ["x-max-age"] = age,
        ["x-max-length-bytes"] = bytes,
        ["x-stream-max-segment-size-bytes"] = segmentBytes,
    };

    private static Task<QueueDeclareOk> DeclareAsync(
        IChannel channel, string name, Dictionary<string, object?> arguments, CancellationToken ct) =>
        channel.QueueDeclareAsync(
            name, durable: true, exclusive: false, autoDelete: false, arguments, cancellationToken: ct);
}

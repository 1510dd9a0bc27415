using RabbitMQ.Client;

namespace Sc2Bridge.Broker;

/// <summary>The streams of published matches: their names and arguments, as proto/README.md has them.</summary>
internal static class BrokerStreams
{
    /// <summary>The directory of matches.</summary>
    internal const string Directory = Prefix + "matches";

    private const string Prefix = "sc2bridge.v1.";
    private const int LongestKey = 64;

    private static readonly Dictionary<string, object?> _directory = new()
    {
        ["x-queue-type"] = "stream",
        ["x-max-age"] = "30D",
        ["x-max-length-bytes"] = 64L << 20,
        ["x-stream-max-segment-size-bytes"] = 4L << 20,
    };

    /// <summary>Whether a text names a publication.</summary>
    internal static bool IsKey(string text) => text.Length is > 0 and <= LongestKey && text != "matches"
        && text.All(letter => letter is (>= 'a' and <= 'z') or (>= '0' and <= '9') or '-');

    /// <summary>A match's description, step log, actions and end.</summary>
    internal static string Match(string key) => Prefix + key;

    /// <summary>A perspective's frames.</summary>
    internal static string Frames(string key, uint perspective) =>
        string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{Prefix}{key}.{perspective}");

    /// <summary>Declares the directory, for a publisher.</summary>
    internal static Task DeclareDirectoryAsync(IChannel channel, CancellationToken ct) =>
        DeclareAsync(channel, Directory, _directory, ct);

    /// <summary>Declares a match's streams, for their publisher.</summary>
    internal static async Task DeclareAsync(
        IChannel channel, string key, IEnumerable<uint> perspectives, TimeSpan maxAge, long maxBytes, CancellationToken ct)
    {
        var match = new Dictionary<string, object?>
        {
            ["x-queue-type"] = "stream",
            ["x-queue-leader-locator"] = "balanced",
        };
        await DeclareAsync(channel, Match(key), match, ct);
        var frames = new Dictionary<string, object?>(match)
        {
            ["x-max-age"] = $"{(long)Math.Ceiling(maxAge.TotalSeconds)}s",
            ["x-max-length-bytes"] = maxBytes,
            ["x-stream-max-segment-size-bytes"] = 16L << 20,
        };
        foreach (var perspective in perspectives)
        {
            await DeclareAsync(channel, Frames(key, perspective), frames, ct);
        }
    }

    private static Task<QueueDeclareOk> DeclareAsync(
        IChannel channel, string name, Dictionary<string, object?> arguments, CancellationToken ct) =>
        channel.QueueDeclareAsync(
            name, durable: true, exclusive: false, autoDelete: false, arguments, cancellationToken: ct);
}

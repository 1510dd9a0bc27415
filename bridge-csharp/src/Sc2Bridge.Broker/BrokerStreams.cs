using System.Globalization;
using RabbitMQ.Client;

namespace Sc2Bridge.Broker;

/// <summary>The streams of published matches: their names and arguments, as docs/reference/broker-streams.md has them.</summary>
internal static class BrokerStreams
{
    /// <summary>The directory of matches, past ones too.</summary>
    internal const string Directory = Prefix + "matches";

    /// <summary>Those that run, told again and again.</summary>
    internal const string Running = Prefix + "running";

    private const string Prefix = "sc2bridge.v1alpha1.";
    private const int LongestKey = 64;

    private static readonly Dictionary<string, object?> _directory = Kept("30D", 256L << 20, 16L << 20);
    private static readonly Dictionary<string, object?> _running = Kept("3600s", 64L << 20, 4L << 20);

    /// <summary>Whether a text names a publication.</summary>
    internal static bool IsKey(string text) => text.Length is > 0 and <= LongestKey && text is not ("matches" or "running")
        && text.All(letter => letter is (>= 'a' and <= 'z') or (>= '0' and <= '9') or '-');

    /// <summary>A match's description, step log, actions and end.</summary>
    internal static string Match(string key) => Prefix + key;

    /// <summary>A perspective's frames.</summary>
    internal static string Frames(string key, uint perspective) =>
        string.Create(CultureInfo.InvariantCulture, $"{Prefix}{key}.{perspective}");

    /// <summary>A name for a publication that no other has.</summary>
    internal static string NewKey(DateTimeOffset started) => string.Create(
        CultureInfo.InvariantCulture,
        $"{started:yyyyMMdd'-'HHmmss}-{Convert.ToHexStringLower(Guid.NewGuid().ToByteArray().AsSpan(0, 4))}");

    /// <summary>Every stream that a publisher writes to: of what runs, the directory, its match, and its frames.</summary>
    internal static IReadOnlyList<string> All(string key, IEnumerable<uint> perspectives) =>
        [Running, Directory, Match(key), .. perspectives.Select(perspective => Frames(key, perspective))];

    /// <summary>Declares a match's streams and the directory, for a publisher.</summary>
    internal static async Task DeclareAsync(
        IChannel channel, string key, IEnumerable<uint> perspectives, TimeSpan maxAge, long maxBytes, CancellationToken ct)
    {
        await DeclareAsync(channel, Directory, _directory, ct);
        await DeclareAsync(channel, Running, _running, ct);
        await DeclareAsync(
            channel, Match(key), new() { ["x-queue-type"] = "stream", ["x-queue-leader-locator"] = "balanced" }, ct);
        var frames = Kept($"{(long)Math.Ceiling(maxAge.TotalSeconds)}s", maxBytes, 16L << 20);
        frames["x-queue-leader-locator"] = "balanced";
        foreach (var perspective in perspectives)
        {
            await DeclareAsync(channel, Frames(key, perspective), frames, ct);
        }
    }

    private static Dictionary<string, object?> Kept(string age, long bytes, long segmentBytes) => new()
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

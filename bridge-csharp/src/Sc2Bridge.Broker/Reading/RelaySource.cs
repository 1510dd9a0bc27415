using System.Diagnostics.CodeAnalysis;
using Google.Protobuf;
using RabbitMQ.Client;
using SC2APIProtocol;
using Sc2Bridge.Encodings;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Broker.Reading;

/// <summary>Which match is relayed, and from where on.</summary>
/// <param name="Address">The broker.</param>
public sealed record RelayOptions(BrokerAddress Address)
{
    /// <summary>The match's key, or words of which one is its map's name, a player's or a tag; null: the one that runs.</summary>
    public string? Match { get; init; }

    /// <summary>The game loop to begin at; null: the newest frame, and of a match that has ended the first.</summary>
    public uint? From { get; init; }

    /// <summary>What to write into the description, as the bridge's clock; see <c>clock_id</c>.</summary>
    public string ClockId { get; init; } = "";

    /// <summary>Gets one line for people where frames are missing.</summary>
    public Action<string> Told { get; init; } = static _ => { };

    /// <summary>As of <see cref="StreamReader.Silence"/>.</summary>
    internal TimeSpan Silence { get; init; } = TimeSpan.FromSeconds(15);
}

/// <summary>A published match as a game: its perspectives' frames as they are read from the broker, each once.</summary>
public sealed class RelaySource : IGameSource
{
    private const int LongestDescription = 64 << 20;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(5);

    private RelaySource(V1.MatchDescription description, Dictionary<uint, ResponseGameInfo> gameInfo, List<RelaySide> sides) =>
        (Description, GameInfo, Sides) = (description, gameInfo, sides);

    /// <inheritdoc/>
    public V1.MatchDescription Description { get; }

    /// <inheritdoc/>
    public IReadOnlyDictionary<uint, ResponseGameInfo> GameInfo { get; }

    /// <inheritdoc/>
    public IReadOnlyList<IGameSource> Sides { get; }

    /// <summary>Not of the whole: each side reads it.</summary>
    [SuppressMessage("Naming", "CA1716", Justification = "The noun of bridge.proto.")]
    public V1.MatchEnd? End => null;

    /// <summary>Finds a match, and where to begin.</summary>
    /// <param name="options">Which.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="BrokerException">There is none, or several, or the broker fails.</exception>
    public static Task<RelaySource> OpenAsync(RelayOptions options, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(options);
        return options.Address.WithAsync("sc2bridge relay", connection => OpenAsync(connection, options, ct), ct);
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Not of the whole: ask the <see cref="Sides"/>.</summary>
    public ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken) =>
        throw new NotSupportedException("A relayed match is followed side by side.");

    /// <inheritdoc/>
    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) => throw Refusal();

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (var side in Sides)
        {
            await side.DisposeAsync();
        }
    }

    internal static RequestRefusedException Refusal() => new(
        StatusCode.FailedPrecondition, "a relay has no game to ask: connect to the bridge that plays the match");

    private static async Task<RelaySource> OpenAsync(IConnection connection, RelayOptions options, CancellationToken ct)
    {
        var all = await MatchDirectory.ReadAsync(connection, past: options.Match is not null, ct, options.Match);
        var match = Choose([.. all.Where(one => !one.IsExpired(DateTimeOffset.UtcNow))], options);
        var key = match.Announcement.Key;
        var (description, gameInfo) = await DescribeAsync(connection, key, options, ct);
        var sides = new List<RelaySide>();
        foreach (var perspective in description.Perspectives)
        {
            var search = new StreamSearch(connection, BrokerStreams.Frames(key, perspective));
            var from = options.From is { } loop ? await search.HeadAsync(frame => frame.Loop > loop, ct)
                : match.IsRunning ? await search.NewestAsync(ct)
                : "first";
            var own = description.Clone();
            own.Perspectives.Clear();
            own.Perspectives.Add(perspective);
            sides.Add(new RelaySide(
                options, own, new StreamReader(options.Address, key, perspective, from) { Silence = options.Silence }));
        }

        return new RelaySource(description, gameInfo, sides);
    }

    private static PublishedMatch Choose(IReadOnlyList<PublishedMatch> all, RelayOptions options)
    {
        var found = options.Match is not { } wanted ? [.. all.Where(one => one.IsRunning)]
            : all.Where(one => one.Announcement.Key == wanted).ToList() is { Count: > 0 } exact ? exact
            : all.Where(one => one.ToString().Contains(wanted, StringComparison.OrdinalIgnoreCase)).ToList();
        return found switch
        {
            [var one] => one,
            [] => throw new BrokerException(
                $"{options.Address} has no published match {(options.Match is { } name ? $"like {name}" : "that runs")}")
            {
                Matches = [.. all.Select(match => match.ToString())],
            },
            _ => throw new BrokerException($"{options.Address} has {found.Count} such matches: name one with --match")
            {
                Matches = [.. found.Select(match => match.ToString())],
            },
        };
    }

    private static async Task<(V1.MatchDescription Match, Dictionary<uint, ResponseGameInfo> GameInfo)> DescribeAsync(
        IConnection connection, string key, RelayOptions options, CancellationToken ct)
    {
        V1.MatchDescription? match = null;
        var gameInfo = new Dictionary<uint, ResponseGameInfo>();
        await using var consumer = await StreamConsumer.OpenAsync(connection, BrokerStreams.Match(key), "first", ct);
        try
        {
            // What describes it comes first; of a match that has only begun nothing else may be there yet.
            var patience = _patience;
            while (await consumer.TryReadAsync(patience, ct) is { Kind: MessageKind.Description or MessageKind.GameInfo } message)
            {
                if (message.Kind == MessageKind.Description)
                {
                    match ??= V1.MatchDescription.Parser.ParseFrom(message.Decompressed(LongestDescription).Span);
                    patience = match.Perspectives.Count > 1 ? _patience / 5 : TimeSpan.Zero;
                }
                else
                {
                    gameInfo[(uint)message.Perspective] = ResponseGameInfo.Parser.ParseFrom(message.Decompressed(LongestDescription).Span);
                }
            }
        }
        catch (Exception malformed) when (malformed is InvalidProtocolBufferException or EncodingException)
        {
            throw new BrokerException($"the description of match {key} cannot be read: {malformed.Message}", malformed);
        }

        if (match is null)
        {
            throw new BrokerException($"match {key} has no description at the broker");
        }

        if (match.GameInfo is { } first && match.Perspectives.Count > 0)
        {
            gameInfo.TryAdd(match.Perspectives[0], first);
        }

        (match.Relay, match.ClockId, match.Realtime, match.Rate) = (key, options.ClockId, false, 0);
        return System.Text.Encoding.UTF8.GetByteCount(match.MatchId) <= FrameEnvelope.LongestMatchName
            ? (match, gameInfo)
            : throw new BrokerException($"match {key} has a name of more than {FrameEnvelope.LongestMatchName} bytes");
    }
}

using System.Diagnostics.CodeAnalysis;
using Google.Protobuf;
using RabbitMQ.Client;
using SC2APIProtocol;
using Sc2Bridge.Encodings;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Broker.Reading;

/// <summary>The match to relay, and the game loop to start at.</summary>
/// <param name="Address">The broker.</param>
public sealed record RelayOptions(BrokerAddress Address)
{
    /// <summary>The match's key, or a part of the match's line in the list of matches. If null, the running match is relayed.</summary>
    public string? Match { get; init; }

    /// <summary>The game loop to start at. If null, a running match starts at its newest frame, and an ended match at its first frame.</summary>
    public uint? From { get; init; }

    /// <summary>The <c>clock_id</c> for the match's description.</summary>
    public string ClockId { get; init; } = "";

    /// <summary>Called with one line for the user if frames are missing.</summary>
    public Action<string> Warn { get; init; } = static _ => { };

    /// <summary>See <see cref="StreamReader.SilenceTimeout"/>.</summary>
    internal TimeSpan SilenceTimeout { get; init; } = TimeSpan.FromSeconds(15);
}

/// <summary>A published match as a game source. Each of its <see cref="Sides"/> reads the frames of one perspective from the broker.</summary>
public sealed class RelaySource : IGameSource
{
    private const int LongestDescription = 64 << 20;

    private static readonly TimeSpan _messageTimeout = TimeSpan.FromSeconds(5);

    private RelaySource(V1.MatchDescription description, Dictionary<uint, ResponseGameInfo> gameInfo, List<RelaySide> sides) =>
        (Description, GameInfo, Sides) = (description, gameInfo, sides);

    /// <inheritdoc/>
    public V1.MatchDescription Description { get; }

    /// <inheritdoc/>
    public IReadOnlyDictionary<uint, ResponseGameInfo> GameInfo { get; }

    /// <inheritdoc/>
    public IReadOnlyList<IGameSource> Sides { get; }

    /// <summary>Always null: each of the <see cref="Sides"/> reports its own end of the match.</summary>
    [SuppressMessage("Naming", "CA1716", Justification = "The noun of bridge.proto.")]
    public V1.MatchEnd? End => null;

    /// <summary>Finds the match, and the positions in its streams to start at.</summary>
    /// <param name="options">The match and the game loop to start at.</param>
    /// <param name="ct">Cancels the search.</param>
    /// <exception cref="BrokerException">No match or more than one match fits, or the broker fails.</exception>
    public static Task<RelaySource> OpenAsync(RelayOptions options, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(options);
        return options.Address.RunConnectedAsync("sc2bridge relay", connection => OpenAsync(connection, options, ct), ct);
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Not supported: read the <see cref="Sides"/>.</summary>
    public ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken) =>
        throw new NotSupportedException("Read the sides of a relayed match.");

    /// <inheritdoc/>
    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) => throw NoGameError();

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (var side in Sides)
        {
            await side.DisposeAsync();
        }
    }

    internal static RequestRefusedException NoGameError() => new(
        StatusCode.FailedPrecondition, "a relay has no game to ask: connect to the bridge that plays the match");

    private static async Task<RelaySource> OpenAsync(IConnection connection, RelayOptions options, CancellationToken ct)
    {
        var all = await MatchDirectory.ReadAsync(connection, includesPast: options.Match is not null, ct, options.Match);
        var match = Choose([.. all.Where(one => !one.IsExpired(DateTimeOffset.UtcNow))], options);
        var key = match.Announcement.Key;
        var (description, gameInfo) = await DescribeAsync(connection, key, options, ct);
        var sides = new List<RelaySide>();
        foreach (var perspective in description.Perspectives)
        {
            var search = new StreamSearch(connection, BrokerStreams.FramesStream(key, perspective));
            var from = options.From is { } loop ? await search.FindHeadAsync(frame => frame.GameLoop > loop, ct)
                : match.IsRunning ? await search.FindNewestAsync(ct)
                : "first";
            var own = description.Clone();
            own.Perspectives.Clear();
            own.Perspectives.Add(perspective);
            sides.Add(new RelaySide(
                options, own, new StreamReader(options.Address, key, perspective, from) { SilenceTimeout = options.SilenceTimeout }));
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
                $"{options.Address} has no {(options.Match is { } name ? $"published match that fits {name}" : "running match")}")
            {
                Matches = [.. all.Select(match => match.ToString())],
            },
            _ => throw new BrokerException($"{options.Address} has {found.Count} matches that fit: select one with --match")
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
        await using var consumer = await StreamConsumer.OpenAsync(connection, BrokerStreams.MatchStream(key), "first", ct);
        try
        {
            // The description comes first. A match that has just begun may have no other messages yet.
            var timeout = _messageTimeout;
            while (await consumer.TryReadAsync(timeout, ct) is { Kind: MessageKind.Description or MessageKind.GameInfo } message)
            {
                if (message.Kind == MessageKind.Description)
                {
                    match ??= V1.MatchDescription.Parser.ParseFrom(message.Decompress(LongestDescription).Span);
                    timeout = match.Perspectives.Count > 1 ? _messageTimeout / 5 : TimeSpan.Zero;
                }
                else
                {
                    gameInfo[(uint)message.Perspective] = ResponseGameInfo.Parser.ParseFrom(message.Decompress(LongestDescription).Span);
                }
            }
        }
        catch (Exception malformed) when (malformed is InvalidProtocolBufferException or EncodingException)
        {
            throw new BrokerException($"the description of match {key} cannot be read: {malformed.Message}", malformed);
        }

        if (match is null)
        {
            throw new BrokerException($"match {key} has no description at the broker: its publisher may have just started, try again");
        }

        if (match.GameInfo is { } first && match.Perspectives.Count > 0)
        {
            gameInfo.TryAdd(match.Perspectives[0], first);
        }

        (match.Relay, match.ClockId, match.Realtime, match.Rate) = (key, options.ClockId, false, 0);
        return System.Text.Encoding.UTF8.GetByteCount(match.MatchId) <= EnvelopeWriter.LongestMatchName
            ? (match, gameInfo)
            : throw new BrokerException($"match {key} has a name of more than {EnvelopeWriter.LongestMatchName} bytes: choose another match");
    }
}

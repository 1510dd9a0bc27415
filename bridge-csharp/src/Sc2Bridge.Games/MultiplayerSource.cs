using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A match of several sides. Each side is a separate source with one perspective. All sides start together and are described as one match,
/// but the frames of each side are read separately.
/// </summary>
public sealed class MultiplayerSource : IGameSource
{
    private V1.MatchDescription? _description;
    private Dictionary<uint, IGameSource> _byPerspective = [];

    /// <summary>Creates a match of these sides. The match disposes them.</summary>
    public MultiplayerSource(IReadOnlyList<IGameSource> sides) => Sides = sides;

    /// <inheritdoc/>
    public IReadOnlyList<IGameSource> Sides { get; }

    /// <inheritdoc/>
    public V1.MatchDescription Description =>
        _description ?? throw new InvalidOperationException("The match has not been started: call StartAsync first.");

    /// <inheritdoc/>
    public IReadOnlyDictionary<uint, ResponseGameInfo>? GameInfo { get; private set; }

    /// <summary>Always null: each side has its own end.</summary>
    [SuppressMessage("Naming", "CA1716", Justification = "The noun of bridge.proto.")]
    public V1.MatchEnd? End => null;

    /// <summary>
    /// Starts all sides together, because a game answers a client's join only when the other clients have joined too.
    /// </summary>
    /// <exception cref="GameException">A side could not be started. The starts of the other sides were cancelled.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        using var startCancellation = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        await AllOrNoneAsync([.. Sides.Select(side => side.StartAsync(startCancellation.Token))], startCancellation);
        _byPerspective = Sides.ToDictionary(side => side.Description.Perspectives[0]);
        GameInfo = _byPerspective
            .Where(side => side.Value.Description.GameInfo is not null)
            .ToDictionary(side => side.Key, side => side.Value.Description.GameInfo);
        var description = Sides[0].Description.Clone();
        description.Perspectives.Clear();
        description.Perspectives.Add(Sides.Select(side => side.Description.Perspectives[0]));
        foreach (var player in description.Players.Where(player => _byPerspective.ContainsKey(player.PlayerId)))
        {
            // Only the description of a player's own side has the player's name, and the kind of player that joined.
            var side = _byPerspective[player.PlayerId].Description;
            player.MergeFrom(side.Players.First(known => known.PlayerId == player.PlayerId));
        }

        _description = description;
    }

    /// <summary>Not supported. Read the <see cref="Sides"/> instead.</summary>
    public ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken) =>
        throw new NotSupportedException("A match of several sides has no frames of its own: read its Sides.");

    /// <inheritdoc/>
    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        _byPerspective.TryGetValue(perspective, out var side)
            ? side.RequestAsync(perspective, request, ct)
            : throw new RequestRefusedException(
                StatusCode.InvalidArgument,
                $"There is no perspective {perspective} in this match: use one of "
                + $"{string.Join(", ", _byPerspective.Keys)}.");

    /// <inheritdoc/>
    public async ValueTask DisposeAsync() =>
        await Task.WhenAll(Sides.Select(side => side.DisposeAsync().AsTask()));

    // Throws the first failure. Later failures are ignored, because the first failure cancels the other starts.
    private static async Task AllOrNoneAsync(List<Task> starting, CancellationTokenSource startCancellation)
    {
        ExceptionDispatchInfo? first = null;
        while (starting.Count > 0)
        {
            var done = await Task.WhenAny(starting);
            starting.Remove(done);
            try
            {
                await done;
            }
            catch (Exception problem)
            {
                first ??= ExceptionDispatchInfo.Capture(problem);
                await startCancellation.CancelAsync();
            }
        }

        first?.Throw();
    }
}

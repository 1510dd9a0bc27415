using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A match of several sides, each of which is a source of its own with one perspective: they start together, are
/// described as one match, and are followed each at its own pace.
/// </summary>
public sealed class MultiplayerSource : IGameSource
{
    private V1.MatchDescription? _description;
    private Dictionary<uint, IGameSource> _byPerspective = [];

    /// <summary>A match of these sides, which are taken over.</summary>
    public MultiplayerSource(IReadOnlyList<IGameSource> sides) => Sides = sides;

    /// <inheritdoc/>
    public IReadOnlyList<IGameSource> Sides { get; }

    /// <inheritdoc/>
    public V1.MatchDescription Description =>
        _description ?? throw new InvalidOperationException("The match has not been started.");

    /// <inheritdoc/>
    public IReadOnlyDictionary<uint, ResponseGameInfo>? GameInfo { get; private set; }

    /// <summary>Not known of the whole: each side knows how the match ended for it.</summary>
    [SuppressMessage("Naming", "CA1716", Justification = "The noun of bridge.proto.")]
    public V1.MatchEnd? End => null;

    /// <summary>
    /// Starts all sides together: a game answers its client when the others' clients have joined too.
    /// </summary>
    /// <exception cref="GameException">One could not be started; the others were given up.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        using var giveUp = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        await AllOrNoneAsync([.. Sides.Select(side => side.StartAsync(giveUp.Token))], giveUp);
        _byPerspective = Sides.ToDictionary(side => side.Description.Perspectives[0]);
        GameInfo = _byPerspective
            .Where(side => side.Value.Description.GameInfo is not null)
            .ToDictionary(side => side.Key, side => side.Value.Description.GameInfo);
        var description = Sides[0].Description.Clone();
        description.Perspectives.Clear();
        description.Perspectives.Add(Sides.Select(side => side.Description.Perspectives[0]));
        foreach (var player in description.Players.Where(player => _byPerspective.ContainsKey(player.PlayerId)))
        {
            // Of a side itself more is known than others know of it: its name, and what it joined as.
            var side = _byPerspective[player.PlayerId].Description;
            player.MergeFrom(side.Players.First(known => known.PlayerId == player.PlayerId));
        }

        _description = description;
    }

    /// <summary>Not of the whole: ask the <see cref="Sides"/>.</summary>
    public ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken) =>
        throw new NotSupportedException("A match of several sides is followed side by side.");

    /// <inheritdoc/>
    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        _byPerspective.TryGetValue(perspective, out var side)
            ? side.RequestAsync(perspective, request, ct)
            : throw new RequestRefusedException(
                StatusCode.InvalidArgument,
                $"There is no perspective {perspective} in this match: there is "
                + $"{string.Join(", ", _byPerspective.Keys)}.");

    /// <inheritdoc/>
    public async ValueTask DisposeAsync() =>
        await Task.WhenAll(Sides.Select(side => side.DisposeAsync().AsTask()));

    // The first failure is reported: the others only follow from being cancelled.
    private static async Task AllOrNoneAsync(List<Task> starting, CancellationTokenSource giveUp)
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
                await giveUp.CancelAsync();
            }
        }

        first?.Throw();
    }
}

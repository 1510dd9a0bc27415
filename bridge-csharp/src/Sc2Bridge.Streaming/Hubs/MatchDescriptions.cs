using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The descriptions of the match that runs and of the one before it, as each perspective sees them. Thread-safe.
/// </summary>
internal sealed class MatchDescriptions
{
    private readonly Lock _lock = new();
    private TaskCompletionSource<Described> _told = NewTold();
    private volatile Described? _running;
    private volatile Described? _ended;

    /// <summary>The match that runs; null if none does.</summary>
    public MatchDescription? Running => _running?.Whole;

    /// <summary>The match that ended last; null before that.</summary>
    public MatchDescription? Ended => _ended?.Whole;

    /// <summary>A match begins. Calls that wait for its description complete with <see cref="Tell"/>.</summary>
    /// <exception cref="InvalidOperationException">The match before has not ended.</exception>
    public void Open(MatchDescription description, IReadOnlyDictionary<uint, ResponseGameInfo>? gameInfo)
    {
        var views = description.Perspectives.Distinct().ToDictionary(
            perspective => perspective, perspective => View(description, gameInfo?.GetValueOrDefault(perspective)));
        lock (_lock)
        {
            _running = _running is null
                ? new Described(description, views)
                : throw new InvalidOperationException($"Match '{Running!.MatchId}' runs: end it before announcing another.");
        }
    }

    /// <summary>Completes the calls that wait for the match.</summary>
    public void Tell()
    {
        lock (_lock)
        {
            if (_running is { } running)
            {
                _told.TrySetResult(running);
            }
        }
    }

    /// <summary>The match is over; false if none runs.</summary>
    public bool Close()
    {
        lock (_lock)
        {
            if (_running is null)
            {
                return false;
            }

            (_ended, _running, _told) = (_running, null, NewTold());
            return true;
        }
    }

    /// <summary>The bridge stops: calls that wait fail with this.</summary>
    public void Stop(RequestRefusedException why)
    {
        lock (_lock)
        {
            _running = null;
            _told.TrySetException(why);
            _ = _told.Task.Exception;
        }
    }

    /// <summary>See <see cref="CurrentMatch.DescribeAsync"/>.</summary>
    public async Task<MatchDescription> OfAsync(string match, uint? perspective, CancellationToken ct)
    {
        Task<Described> told;
        lock (_lock)
        {
            told = match.Length > 0 && Running?.MatchId != match && _ended is { } ended && ended.Whole.MatchId == match
                ? Task.FromResult(ended)
                : _told.Task;
        }

        var described = await told.WaitAsync(ct);
        if (SubscriptionRequest.UnknownMatch(match, described.Whole) is { } refusal)
        {
            throw refusal;
        }

        return perspective is not { } wanted ? described.Whole
            : described.Views.TryGetValue(wanted, out var view) ? view
            : throw SubscriptionRequest.NotOffered(wanted, described.Whole);
    }

    /// <summary>See <see cref="CurrentMatch.OtherGameInfo"/>.</summary>
    public IReadOnlyDictionary<uint, ResponseGameInfo> OtherGameInfo(string match) =>
        new[] { _running, _ended }.OfType<Described>().FirstOrDefault(one => one.Whole.MatchId == match) is { } described
            ? described.Views.Where(view => view.Value != described.Whole).ToDictionary(view => view.Key, view => view.Value.GameInfo)
            : [];

    // Shared if the perspective's game info is the same.
    private static MatchDescription View(MatchDescription description, ResponseGameInfo? gameInfo)
    {
        if (gameInfo is null || gameInfo.Equals(description.GameInfo))
        {
            return description;
        }

        var view = description.Clone();
        view.GameInfo = gameInfo;
        return view;
    }

    private static TaskCompletionSource<Described> NewTold() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private sealed record Described(MatchDescription Whole, IReadOnlyDictionary<uint, MatchDescription> Views);
}
